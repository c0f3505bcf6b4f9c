// Print the functions in the page $PAGE, those with code, and how many samples it has.
import { readFileSync } from 'node:fs';
import { readRecording, unpack } from '../../web/data.js';

const text = readFileSync(process.env.PAGE ?? '', 'utf8');
const data = /id="data">([^<]*)</.exec(text)?.[1] ?? '';
const recording = readRecording(await unpack(data));
for (const name of new Set(recording.frames.map((f) => f.name)))
	console.log(name);
for (const s of recording.sources)
	console.log(`source: ${s.name} ${s.insns.length} instructions, ${s.insns.reduce((n, i) => n + (i.costs[0] ?? 0), 0)} samples`);
console.log(`${recording.cells.nr.reduce((a, b) => a + b, 0)} samples`);
