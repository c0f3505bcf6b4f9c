"""Nodes of ClickHouse on loopback, in folders of their own, and a proxy before one that makes network faults."""
import http.client
import http.server
import os
import random
import signal
import socket
import struct
import subprocess
import threading
import time

CONFIG = """<yandex>
<logger><level>warning</level><log>{dir}/log</log><errorlog>{dir}/errors</errorlog></logger>
<http_port>{http}</http_port><tcp_port>{tcp}</tcp_port><interserver_http_port>{interserver}</interserver_http_port>
<listen_host>127.0.0.1</listen_host>
<path>{dir}/data/</path><tmp_path>{dir}/tmp/</tmp_path><user_files_path>{dir}/files/</user_files_path>
<users_config>{dir}/users.xml</users_config><default_profile>default</default_profile>
<default_database>default</default_database><mark_cache_size>268435456</mark_cache_size>
<remote_servers><perf>{shards}</perf></remote_servers>
</yandex>
"""
SHARD = "<shard><replica><host>127.0.0.1</host><port>%d</port></replica></shard>"
USERS = """<yandex><profiles><default/></profiles><quotas><default/></quotas>
<users><default><password></password><networks><ip>127.0.0.1</ip></networks><profile>default</profile>
<quota>default</quota></default></users></yandex>
"""


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Node:
    def __init__(self, folder):
        self.dir = folder
        self.http, self.tcp, self.interserver = free_port(), free_port(), free_port()
        self.process = None

    def configure(self, nodes):
        for sub in ("data", "tmp", "files"):
            os.makedirs("%s/%s" % (self.dir, sub))
        with open(self.dir + "/users.xml", "w") as f:
            f.write(USERS)
        with open(self.dir + "/config.xml", "w") as f:
            f.write(CONFIG.format(dir=self.dir, http=self.http, tcp=self.tcp, interserver=self.interserver,
                                  shards="".join(SHARD % n.tcp for n in nodes)))

    def start(self):
        with open(self.dir + "/out", "ab") as out:
            self.process = subprocess.Popen(["clickhouse-server", "--config-file=%s/config.xml" % self.dir],
                                            stdout=out, stderr=out, cwd=self.dir, start_new_session=True)

    def wait(self):
        for _ in range(600):
            try:
                with socket.create_connection(("127.0.0.1", self.tcp), 1):
                    pass
                if self.ask("SELECT 1") == "1\n":
                    return
            except OSError:
                pass
            if self.process.poll() is not None:
                raise SystemExit("a server ended: see %s/errors" % self.dir)
            time.sleep(0.1)
        raise SystemExit("a server does not answer")

    def kill(self):
        if self.process and self.process.poll() is None:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def ask(self, query):
        """The answer to a query as text, by HTTP."""
        c = http.client.HTTPConnection("127.0.0.1", self.http, timeout=60)
        c.request("POST", "/", query.encode())
        answer = c.getresponse()
        text = answer.read().decode(errors="surrogateescape")
        c.close()
        if answer.status != 200:
            raise OSError(text)
        return text

    def client(self, *options):
        return ["clickhouse-client", "--host", "127.0.0.1", "--port", str(self.tcp), *options]

    def run(self, sql):
        """Run statements; return the client's output."""
        done = subprocess.run(self.client("--multiquery"), input=sql.encode(), capture_output=True)
        if done.returncode:
            raise OSError(done.stderr.decode())
        return done.stdout.decode(errors="surrogateescape")


FAULTS = ["none", "reset before", "reset after", "half request", "half answer", "500 before", "500 after", "slow"]


class Proxy:
    """Forwards to a node; each request meets a fault of the list, at random."""

    def __init__(self, node, seed):
        self.node, self.random, self.faulty, self.count = node, random.Random(seed), False, {}
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                proxy.serve(self)

            def log_message(self, *words):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request, address):
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.url = "http://127.0.0.1:%d" % self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def reset(handler):
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.close()

    def forward(self, handler, body, length):
        c = http.client.HTTPConnection("127.0.0.1", self.node.http, timeout=20)
        c.putrequest("POST", handler.path)
        c.putheader("Content-Length", str(length))
        if handler.headers["Content-Encoding"]:
            c.putheader("Content-Encoding", handler.headers["Content-Encoding"])
        c.endheaders()
        c.send(body)
        if len(body) < length:
            c.close()
            return None
        answer = c.getresponse()
        return answer.status, answer.read()

    def serve(self, handler):
        handler.close_connection = True
        length = int(handler.headers["Content-Length"])
        body = handler.rfile.read(length)
        fault = self.random.choice(FAULTS + ["none"] * 12) if self.faulty else "none"
        self.count[fault] = self.count.get(fault, 0) + 1
        if fault == "reset before":
            return self.reset(handler)
        if fault == "500 before":
            return self.answer(handler, 500, b"a fault\n", 0)
        try:
            got = self.forward(handler, body[:len(body) // 2] if fault == "half request" else body, length)
        except (OSError, http.client.HTTPException):
            got = None
        if not got or fault == "reset after":
            return self.reset(handler)
        if fault == "slow":
            time.sleep(3)
        status, words = (500, b"a fault\n") if fault == "500 after" else got
        return self.answer(handler, status, words, 100 if fault == "half answer" else 0)

    @staticmethod
    def answer(handler, status, words, more):
        try:
            handler.send_response(status)
            handler.send_header("Content-Length", str(len(words) + more))
            handler.end_headers()
            handler.wfile.write(words[:len(words) // 2] if more else words)
        except OSError:
            pass
