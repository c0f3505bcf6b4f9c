"""What speedscope shows, read from its page in headless Chromium (Debian's chromium and chromium-driver):

    page = Page(FOLDER)         of speedscope's index.html
    page.profiles(FILE)         of each profile of the file the sandwich view: [name, [[function, total, self], ...]]
    page.close()

Weights are texts as shown; weight() makes a number and its rounding error of one.
"""
import base64
import json
import os
import re
import subprocess
import urllib.request

# The page makes the rows that can be seen, some frames after it shows a table, and puts as much space before them as the
# others take. So the table is scrolled, until no row is missing.
READ = """
const done = arguments[arguments.length - 1];
const frame = () => new Promise(requestAnimationFrame);
const sandwich = () => [...document.querySelectorAll('table')].find(t => t.rows[0].cells[0].textContent == 'Total').parentElement;
const visible = () => [...sandwich().querySelectorAll('tr')].slice(1);
async function table() {
	const rows = [];
	for (let top = 0, missing = 1; missing; top += 3000) {
		while (!visible().length)
			await frame();
		const all = sandwich().lastElementChild.firstElementChild, height = visible()[0].offsetHeight;
		sandwich().lastElementChild.scrollTop = top % all.offsetHeight;
		await frame();
		await frame();
		const before = /translateY\\((.*)px\\)/.exec(all.firstElementChild.style.transform)[1];
		visible().forEach((r, i) => rows[Math.round(before / height) + i] =
			[r.cells[2].textContent, r.cells[0].textContent, r.cells[1].textContent]);
		missing = Math.round(all.offsetHeight / height) - Object.keys(rows).length;
		if (missing < 0) // of the table before this one
			rows.length = 0;
	}
	return rows;
}
const place = () => [...document.querySelectorAll('span')].map(s => /^(.*) \\((\\d+)\\/(\\d+)\\)$/s.exec(s.textContent))
	.find(found => found) || ['', document.title, '1', '1'];
(async () => {
	for (const out = [];;) {
		const [, name, at, of] = place();
		out.push([name, await table()]);
		if (at == of)
			return out;
		window.dispatchEvent(new KeyboardEvent('keypress', {key: 'n'}));
		while (place()[2] == at)
			await frame();
	}
})().then(done, e => done(String(e)));
"""
IS_LOADED = "return [...document.querySelectorAll('th')].some(h => h.textContent == 'Total')"
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}


def weight(text):
    """'1.25ms (3%)' is 1250000 ns, to 5000 ns; '1,250 (3%)' is 1250."""
    found = re.match(r"(?:(\d+):)?([\d,.]+)(\D*) \(", text)
    minutes, number, unit = found.groups()
    if minutes:
        return (int(minutes) * 60 + int(number)) * 10 ** 9, 10 ** 9
    scale = UNITS[unit] if unit else 1
    return float(number.replace(",", "")) * scale, 0.00501 * scale if unit else 0


class Page:
    def __init__(self, folder):
        self.index = "file://%s/index.html" % os.path.abspath(folder)
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        for line in self.driver.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                break
        self.url = "http://127.0.0.1:%s/session" % found.group(1)
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,4000"]}
        session = self.call("", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": options, "timeouts": {"script": 120000}}}})
        self.url += "/" + session["sessionId"]

    def call(self, command, body=None, method="POST"):
        request = urllib.request.Request(self.url + command, method=method, data=json.dumps(body or {}).encode(),
                                         headers={"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=150) as answer:
            return json.load(answer)["value"]

    def run(self, script, kind="sync"):
        return self.call("/execute/" + kind, {"script": script, "args": []})

    def profiles(self, path):
        # As the program "speedscope" opens a file
        script = os.path.abspath(path) + ".js"
        with open(path, "rb") as f, open(script, "w") as out:
            out.write("speedscope.loadFileFromBase64(%s, '%s')" % (
                json.dumps(os.path.basename(path)), base64.b64encode(f.read()).decode()))
        self.call("/url", {"url": "about:blank"})
        self.call("/url", {"url": "%s#view=sandwich&localProfilePath=%s" % (self.index, script)})
        self.run("const done = arguments[0]; const wait = () => (() => {%s})() ? done() : setTimeout(wait, 20); wait()" %
                 IS_LOADED, "async")
        shown = self.run(READ, "async")
        os.unlink(script)
        if isinstance(shown, str):
            raise RuntimeError("speedscope's page: " + shown)
        return shown

    def close(self):
        self.call("", method="DELETE")
        self.driver.terminate()
        self.driver.wait()
