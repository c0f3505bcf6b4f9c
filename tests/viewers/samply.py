#!/usr/bin/env python3
"""Let samply load a profile, and hold its names for addresses of a binary against those of the profile:

    samply.py SAMPLY PROFILE BINARY PORT

samply finds BINARY by what "libs" says of it, and its functions by the addresses of the frames.
"""
import json
import re
import subprocess
import sys
import urllib.request

program, profile, binary, port = sys.argv[1:]
with open(profile, "rb") as f:
    text = f.read()
shared, libs = json.loads(text)["shared"], json.loads(text)["libs"]
lib = [l["name"] for l in libs].index(binary)
symbols, strings, frames = shared["nativeSymbols"], shared["stringArray"], shared["frameTable"]
names = {address: strings[symbols["name"][native]]
         for address, native in zip(frames["address"], frames["nativeSymbol"])
         if native is not None and symbols["libIndex"][native] == lib}

server = subprocess.Popen([program, "load", "--no-open", "--port", port, profile], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
try:
    for line in server.stdout:
        found = re.search(r"from-url/http%3A%2F%2F([0-9.]+)%3A(\d+)%2F(\w+)%2F", line)
        if found:
            break
    url = "http://%s:%s/%s/" % found.groups()
    with urllib.request.urlopen(url + "profile.json", timeout=60) as answer:
        assert json.load(answer)["threads"], "samply has no threads"
    job = {"memoryMap": [[libs[lib]["debugName"], libs[lib]["breakpadId"]]], "stacks": [[[0, a] for a in names]]}
    with urllib.request.urlopen(url + "symbolicate/v5", json.dumps({"jobs": [job]}).encode(), timeout=60) as answer:
        found = [f.get("function") for f in json.load(answer)["results"][0]["stacks"][0]]
finally:
    server.terminate()
    server.wait()
# It takes away an underscore at the beginning, and does not name stubs. The first stub follows _init, which has no size.
other = {hex(a): (name, by) for (a, name), by in zip(names.items(), found)
         if by not in (name, name[1:]) and not name.endswith("@plt") and name != "_init"}
if other or not names:
    sys.exit("samply: other names for %d of %d addresses: %s" % (len(other), len(names), other))
