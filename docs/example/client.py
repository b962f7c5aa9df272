#!/usr/bin/env python3
"""A whole client of sidefork in about a hundred lines: docs/client.md walks through it.

    client.py WORKSPACE NAME    forks the newest session of WORKSPACE into the branch NAME, and prints how to start its agent
"""
import json
import os
import shlex
import subprocess
import sys
import threading
import uuid


class Sidecar:
    """`sidefork serve` on two pipes: requests out, answers, requests and notes in."""

    def __init__(self, argv):
        self.process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.sending, self.waiting, self.last, self.gone = threading.Lock(), {}, 0, False
        threading.Thread(target=self.read, daemon=True).start()

    def send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        with self.sending:  # a frame is written whole, or the next one is read in the middle of it
            try:
                self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
                self.process.stdin.flush()
            except OSError:
                pass  # it has gone, which read() finds out

    def ask(self, method, **params):
        """The answer's result; a failure ends the program with its sentence and what to do about it."""
        with self.sending:
            self.last += 1
            ident, answer = self.last, {"came": threading.Event(), "message": None}
            self.waiting[ident] = answer
        self.send(id=ident, method=method, params=params)
        if self.gone:
            answer["came"].set()
        answer["came"].wait()
        message = answer["message"]
        if message is None:  # nobody knows what happened: never say "nothing"
            sys.exit("the sidecar went away; it may be partially applied. Ask: sidefork outcome ID")
        if "error" in message:
            data = message["error"].get("data", {})
            reason = data.get("reason", {"message": message["error"]["message"]})
            sys.exit("%s\n%s\n(%s: %s)" % (reason["message"], reason.get("remedy", ""), reason.get("code"), data.get("effect")))
        return message.get("result")

    def command(self, command, argument, token=None):
        params = {"command": "sidefork." + command, "arguments": [argument]}
        return self.ask("workspace/executeCommand", **params, **({"workDoneToken": token} if token else {}))

    def read(self):
        while headers := self.headers():
            message = json.loads(self.process.stdout.read(int(headers["content-length"])))
            if "method" not in message:
                answer = self.waiting.pop(message.get("id"), None)
                if answer:
                    answer["message"] = message
                    answer["came"].set()
            elif "id" in message:  # a request of the sidecar's: for a token, or our settings
                wanted = message["method"] == "workspace/configuration"
                self.send(id=message["id"], result=[None for _ in message["params"]["items"]] if wanted else None)
            else:
                self.note(message["method"], message.get("params") or {})
        self.gone = True
        for answer in list(self.waiting.values()):
            answer["came"].set()

    def headers(self):
        found = {}
        while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode().partition(":")
            found[name.lower()] = value.strip()
        return found

    def note(self, method, params):
        if method == "$/progress" and params["value"].get("message"):
            print("  " + params["value"]["message"], file=sys.stderr)


def main(workspace, name):
    sidecar = Sidecar([os.environ.get("SIDEFORK", "sidefork"), "serve"])
    workspace = os.path.realpath(workspace)
    answer = sidecar.ask("initialize", processId=os.getpid(), capabilities={}, workspaceFolders=[{"uri": "file://" + workspace, "name": "w"}])
    sidecar.send(method="initialized", params={})
    features = answer["capabilities"]["experimental"]["sidefork"]["features"]
    if "fork" not in features:
        sys.exit("this sidefork cannot fork: update it")
    listed = sidecar.command("sessions", {"workspace": workspace, "limit": 20})
    session = next((s for s in listed["sessions"] if s["fork"]["kind"] == "native"), None)
    print("forking %s" % (session["title"] or session["id"] if session else "no session: none can be forked"), file=sys.stderr)
    result = sidecar.command("fork", {
        "operationId": str(uuid.uuid4()), "workspace": workspace, "name": name, "launch": "client",
        "session": session and {"agent": session["agent"], "id": session["id"]},
    }, token="fork")
    for warning in result["warnings"]:
        print("warning: %s" % warning["message"], file=sys.stderr)
    print("cd " + shlex.quote(result["workspace"]["path"]))
    if result.get("launch"):
        print(result["launch"]["commandLine"]["posix"])
    sidecar.ask("shutdown")
    sidecar.send(method="exit")
    return sidecar.process.wait()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
