#!/usr/bin/env python3
"""A server that keeps what it gets, for tests of perf push:

    receiver.py FOLDER [ANSWER...]

Listens on a free port of loopback, which FOLDER/port then names. Request n goes to FOLDER/n.head and FOLDER/n.body.
ANSWER: one for each request, the last one for all that follow:
    NNN         that status, with the words "status NNN"
    reset       close the connection with a reset, after the request was read
    half        200, with less than its Content-Length says
    slow        200 after three seconds
    long        500 with 4 MB of words
    partial     200 with an ExportProfilesServiceResponse: 2 profiles rejected, "too", ESC, "late"
    echo        400 with the token of the request
"""
import http.server
import os
import socket
import struct
import sys
import time

folder, answers = sys.argv[1], sys.argv[2:] or ["200"]
count = 0


class Receiver(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        global count
        count += 1
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open("%s/%d.body" % (folder, count), "wb") as f:
            f.write(body)
        with open("%s/%d.head" % (folder, count), "w") as f:
            f.write("%s %s\n%s" % (self.command, self.path, self.headers))
        answer = answers[min(count, len(answers)) - 1]
        self.close_connection = True
        if answer == "reset":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.connection.close()
            return
        if answer == "slow":
            time.sleep(3)
        words = b"x\033[31m" * 600000 if answer == "long" else ("status %s\n" % answer).encode()
        if answer == "echo":
            words = ("got %s\n" % self.headers["Authorization"]).encode()
        if answer == "partial":
            words = b"\x0a\x0c\x08\x02\x12\x08too\033late"
        statuses = {"long": 500, "echo": 400}
        self.send_response(int(answer) if answer.isdigit() else statuses.get(answer, 200))
        self.send_header("Content-Length", str(len(words) + (100 if answer == "half" else 0)))
        self.end_headers()
        try:
            self.wfile.write(words)
        except OSError:
            pass

    def log_message(self, *words):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, address):
        pass


server = Server(("127.0.0.1", 0), Receiver)
with open(folder + "/port.new", "w") as f:
    f.write(str(server.server_address[1]))
os.rename(folder + "/port.new", folder + "/port")
server.serve_forever()
