// The recording inside the page: base64, zlib, then columns (Documentation/page.md). Nothing in it is trusted.

/**
 * @typedef {{name: string, nr: number, weight: number, period: number, time: boolean, waits: boolean}} Event
 * @typedef {{pid: number, tid: number, name: string, process: string, first: number, last: number}} Thread
 * @typedef {{format: number, cell: number, cpu_cell: number, duration: number, lost: number, stacks: number, cut: number, limit: number, damage: string, recording: string,
 *	headers: Record<string, any>, events: Event[], threads: Thread[], binaries: string[], strings: string[],
 *	losses: [number, number][], borrowed?: number, short?: [number, string][], comparison?: Comparison, only?: string, spans?: SpanKind[]}} Facts only: what the samples are of, '': all; losses: cell, lost samples; cut: of so many unwound stacks; borrowed: part of the waiting time with callers of other waits; limit: frames of a stack, but for inlined ones, that the page has at most; damage: of the file, '': none; short: names that are shortened where there is little room, by string
 * @typedef {{name: string, nr: number, fast: number, slow: number, slowest: [number, number, number][]}} SpanKind spans of one name: how many, their p50 and p99 in ns
 * @typedef {{kind: SpanKind, thread: number, begin: number, ns: number}} Span begin: ns after the first sample
 * @typedef {{verdict: number, self: [number, number], total: [number, number], change: number | null, low: number | null,
 *	high: number | null, remark: string}} Compared a function in a comparison; self, total: old and new cost; change, low,
 *	high: new / old of self, and its interval; null: there is none, or no bound
 * @typedef {{scale: number, total: string, changes: string, verdicts: string[], rows: Compared[]}} Comparison scale: of the
 *	weights in the cells, which are two: old and new; rows: by frame
 * @typedef {{name: string, short: string, binary: string, flags: number, file: string, line: number, nameId: number,
 *	binaryId: number, fileId: number, place: number, number: number}} Frame ids: equal where the text is; place: in the code,
 *	0: not there; number: its own
 * @typedef {{parent: Uint32Array, frame: Uint32Array}} Stacks parents first; 0 has no frames
 * @typedef {{cell: Uint32Array, lane: Uint32Array, stack: Uint32Array, nr: Float64Array, weight: Float64Array}} Cells
 * @typedef {{path: string, newer: boolean, lines: [number, string][]}} SourceFile
 * @typedef {{addr: string, text: string, file: number, line: number, inlined: string}} Insn addr: hexadecimal; file: -1: unknown;
 *	inlined: the function that was inlined there, or ''
 * @typedef {{name: string, binary: string, why: string, files: SourceFile[], insns: Insn[], place: number}} Source
 *	a function with its code; why: there are no instructions; place: of its samples that are in none of its
 *	instructions, which have the places that follow
 * @typedef {{cell: number[], lane: number[], weight: number[]}} Cpus cells of cpu_cell ns; lane: processor * events + event
 * @typedef {{facts: Facts, frames: Frame[], stacks: Stacks, cells: Cells, cpus: Cpus, sources: Source[], spans: Span[]}} Recording spans: the slowest ones, which come first
 */

const FORMAT = 4;
const MOST_CPUS = 65536;
const FACTS = {
	cell: 'number', cpu_cell: 'number', duration: 'number', lost: 'number', stacks: 'number', cut: 'number', limit: 'number', damage: 'string', losses: [['number']], recording: 'string', headers: {},
	events: [{ name: 'string', nr: 'number', weight: 'number', period: 'number', time: 'boolean', waits: 'boolean' }],
	threads: [{ pid: 'id', tid: 'id', name: 'string', process: 'string', first: 'number', last: 'number' }],
	binaries: ['string'], strings: ['string'],
};
const COMPARISON = {
	scale: 'number', total: 'string', changes: 'string', verdicts: ['string'],
	rows: [{ verdict: 'number', self: ['number'], total: ['number'], change: 'ratio', low: 'ratio', high: 'ratio', remark: 'string' }],
};
const SPANS = [{ name: 'string', nr: 'number', fast: 'number', slow: 'number', slowest: [['number']] }];
const SOURCES = [{
	name: 'string', binary: 'number', start: 'string', why: 'string', insns: [['any']], inlined: ['string'],
	files: [{ path: 'string', newer: 'boolean', lines: ['line'] }],
}];

export const FRAME_KERNEL = 1;
export const FRAME_JIT = 2;
export const FRAME_INLINED = 4;
export const FRAME_UNKNOWN = 8;
export const FRAME_WAIT = 16;
export const FRAME_IDLE = 32;

/** What is wrong with the data, for the reader of the page. */
export class DataError extends Error {}

/** Reads numbers and columns, and never beyond the end. */
export class Reader {
	/** @param {Uint8Array} bytes */
	constructor(bytes) {
		this.bytes = bytes;
		this.at = 0;
	}

	get isAtEnd() {
		return this.at >= this.bytes.length;
	}

	/** @returns {number} up to 2^53 */
	varint() {
		/* Most numbers are one byte. */
		if (this.bytes[this.at] < 0x80)
			return this.bytes[this.at++];
		let x = 0;
		let scale = 1;
		for (;;) {
			if (this.at >= this.bytes.length || scale > 2 ** 56)
				throw new DataError(`a number at byte ${this.at} is not complete`);
			const byte = this.bytes[this.at++];
			x += (byte & 0x7f) * scale;
			if (byte < 0x80)
				return x;
			scale *= 128;
		}
	}

	/** @returns {number} */
	signed() {
		const x = this.varint();
		return x % 2 ? -(x + 1) / 2 : x / 2;
	}

	/** @returns {Reader} the next column */
	column() {
		const size = this.varint();
		if (size > this.bytes.length - this.at)
			throw new DataError(`a column of ${size} bytes is cut off at byte ${this.at}`);
		this.at += size;
		return new Reader(this.bytes.subarray(this.at - size, this.at));
	}

	/** @returns {number[]} all numbers of the column */
	all() {
		const v = [];
		while (!this.isAtEnd)
			v.push(this.varint());
		return v;
	}
}

/**
 * @param {number} x
 * @param {number} limit
 * @param {string} what
 * @returns {number} x, which is below the limit
 */
function below(x, limit, what) {
	if (!(x >= 0 && x < limit))
		throw new DataError(`${what} ${x} does not exist: there are ${limit}`);
	return x;
}

/** @param {unknown} x @returns {boolean} */
function isAmount(x) {
	return typeof x === 'number' && x >= 0;
}

/**
 * @param {any} value
 * @param {any} shape a type, 'number' from 0 on, 'id' also below, 'ratio' may be null; an array: of such elements; else an object with such members
 * @param {string} where
 */
function checkShape(value, shape, where) {
	if (typeof shape === 'string') {
		if (shape === 'any' || (shape === 'ratio' && (value === null || isAmount(value))) || (shape === 'id' && Number.isInteger(value)) || (shape === 'line' && isAmount(value?.[0]) && typeof value[1] === 'string') || (shape === 'number' ? isAmount(value) : typeof value === shape))
			return;
		throw new DataError(`${where} is no ${shape}`);
	}
	if (Array.isArray(shape)) {
		if (!Array.isArray(value))
			throw new DataError(`${where} is no list`);
		value.forEach((v, i) => checkShape(v, shape[0], `${where}[${i}]`));
		return;
	}
	if (typeof value !== 'object' || !value)
		throw new DataError(`${where} is no object`);
	for (const [name, inner] of Object.entries(shape))
		checkShape(value[name], inner, `${where}.${name}`);
}

/**
 * @param {Reader} r
 * @param {string} what
 * @returns {any}
 */
function readJson(r, what) {
	try {
		return JSON.parse(new TextDecoder().decode(r.bytes));
	} catch {
		throw new DataError(`${what} are not JSON`);
	}
}

/**
 * @param {Reader} r
 * @param {Facts} facts
 * @returns {Frame[]}
 */
function readFrames(r, facts) {
	const [name, binary, flags, file, line, place] = [0, 1, 2, 3, 4, 5].map(() => r.column().all());
	const binaries = ['', ...facts.binaries];
	checkShape(facts.short ?? [], [['any']], 'short');
	const short = new Map(facts.short?.map(([id, text]) => [id, String(text)]));
	/* Binaries of different folders may have one name. */
	const firstOf = binaries.map((b) => binaries.indexOf(b));
	return name.map((n, i) => ({
		name: facts.strings[below(n, facts.strings.length, 'name')],
		short: short.get(n) ?? facts.strings[n],
		binary: binaries[below(binary[i], binaries.length, 'binary')],
		flags: flags[i],
		file: facts.strings[below(file[i], facts.strings.length, 'file')],
		line: line[i],
		nameId: n, binaryId: firstOf[binary[i]], fileId: file[i], place: place[i], number: i,
	}));
}

/**
 * @param {Reader} r
 * @param {number} nrFrames
 * @returns {Stacks}
 */
function readStacks(r, nrFrames) {
	const up = r.column().all();
	const of = r.column().all();
	const parent = new Uint32Array(up.length + 1);
	const frame = new Uint32Array(up.length + 1);
	up.forEach((d, i) => {
		parent[i + 1] = below(i + 1 - d, i + 1, 'stack');
		frame[i + 1] = below(of[i], nrFrames, 'frame');
	});
	return { parent, frame };
}

/**
 * @param {Reader} r
 * @param {Facts} facts
 * @param {number} nrStacks
 * @returns {Cells}
 */
function readCells(r, facts, nrStacks) {
	const ranks = r.column();
	const byRank = [];
	let last = 0;
	while (!ranks.isAtEnd)
		byRank.push((last = below(last + ranks.signed(), nrStacks, 'stack')));
	const runs = r.column();
	const stacks = r.column();
	const numbers = r.column();
	const weights = r.column();
	const scale = facts.comparison?.scale || 1;
	let nr = 0;
	for (const byte of numbers.bytes)
		nr += byte < 0x80 ? 1 : 0;
	const c = {
		cell: new Uint32Array(nr), lane: new Uint32Array(nr), stack: new Uint32Array(nr),
		nr: new Float64Array(nr), weight: new Float64Array(nr),
	};
	const nrLanes = facts.threads.length * facts.events.length;
	for (let i = 0, cell = 0; !runs.isAtEnd;) {
		cell += runs.varint();
		const lane = below(runs.varint(), nrLanes, 'lane');
		const period = facts.events[lane % facts.events.length].period;
		let rank = 0;
		for (let left = below(runs.varint(), nr - i + 1, 'sample'); left > 0; left--, i++) {
			rank += stacks.varint();
			c.cell[i] = cell;
			c.lane[i] = lane;
			c.stack[i] = byRank[below(rank, byRank.length, 'stack')];
			c.nr[i] = numbers.varint();
			c.weight[i] = period ? c.nr[i] * period : weights.varint() / scale;
		}
	}
	return c;
}

/**
 * @param {Reader} r
 * @param {Facts} facts
 * @returns {Cpus}
 */
function readCpus(r, facts) {
	/** @type {Cpus} */
	const c = { cell: [], lane: [], weight: [] };
	for (let cell = 0; !r.isAtEnd;) {
		cell += r.varint();
		const lane = below(r.varint(), MOST_CPUS * facts.events.length, 'processor');
		c.cell.push(cell);
		c.lane.push(lane);
		c.weight.push(r.varint() * (facts.events[lane % facts.events.length].period || 1));
	}
	return c;
}

/**
 * @param {Reader} r
 * @param {Facts} facts
 * @returns {Source[]} the functions whose code is in the page
 */
function readSources(r, facts) {
	if (r.isAtEnd)
		return [];
	const binaries = ['', ...facts.binaries];
	const all = readJson(r, 'the code of functions');
	checkShape(all, SOURCES, 'the code of functions');
	let next = 1;
	return all.map((/** @type {any} */ f) => {
		if (!/^[0-9a-f]{1,16}$/.test(f.start))
			throw new DataError(`the address of ${f.name} is damaged`);
		const place = next;
		next += f.insns.length + 1;
		return {
			...f, place,
			binary: binaries[below(f.binary, binaries.length, 'binary')],
			insns: f.insns.map((/** @type {any[]} */ [offset, text, file, line, inlined]) => {
				if (typeof text !== 'string' || ![offset, line].every(Number.isSafeInteger) || Math.min(offset, line) < 0)
					throw new DataError(`an instruction of ${f.name} is damaged`);
				return { addr: (BigInt(`0x${f.start}`) + BigInt(offset)).toString(16), text,
					file: below(file + 1, f.files.length + 1, 'source file') - 1, line,
					inlined: ['', ...f.inlined][below(inlined, f.inlined.length + 1, 'inlined function')] };
			}),
		};
	});
}

/**
 * @param {Facts} facts
 * @param {number} nrFrames
 */
function checkComparison({ comparison }, nrFrames) {
	if (!comparison)
		return;
	checkShape(comparison, COMPARISON, 'the comparison');
	if (comparison.rows.length !== nrFrames)
		throw new DataError(`${comparison.rows.length} functions are compared, not ${nrFrames}`);
	for (const row of comparison.rows) {
		below(row.verdict, comparison.verdicts.length, 'verdict');
		if (row.self.length !== 2 || row.total.length !== 2)
			throw new DataError('a function does not have two costs');
	}
}

/** @param {Facts} facts @returns {Span[]} */
function readSpans(facts) {
	checkShape(facts.spans ?? [], SPANS, 'spans');
	const all = (facts.spans ?? []).flatMap((kind) => kind.slowest.map(([thread, begin, ns]) => {
		checkShape([begin, ns], ['number'], 'a span');
		return { kind, thread: below(thread, facts.threads.length, 'thread'), begin, ns };
	}));
	return all.sort((a, b) => b.ns - a.ns || a.begin - b.begin);
}

/** @param {Source[]} sources @returns {number} */
export function nrPlaces(sources) {
	return sources.reduce((n, s) => n + s.insns.length + 1, 1);
}

/**
 * @param {Uint8Array} bytes unpacked
 * @returns {Recording}
 */
export function readRecording(bytes) {
	const r = new Reader(bytes);
	const facts = /** @type {Facts} */ (readJson(r.column(), 'the facts'));
	if (facts?.format !== FORMAT)
		throw new DataError(`the format is ${facts?.format}, not ${FORMAT}`);
	checkShape(facts, FACTS, 'the facts');
	const frames = readFrames(r, facts);
	checkComparison(facts, frames.length);
	const stacks = readStacks(r, frames.length);
	const cells = readCells(r, facts, stacks.parent.length);
	const cpus = readCpus(r.column(), facts);
	const sources = readSources(r.column(), facts);
	const places = nrPlaces(sources);
	frames.forEach((f) => below(f.place, places, 'place in the code'));
	return { facts, frames, stacks, cells, cpus, sources, spans: readSpans(facts) };
}

/**
 * @param {string} text base64 of zlib
 * @returns {Promise<Uint8Array>}
 */
export async function unpack(text) {
	if (typeof DecompressionStream === 'undefined')
		throw new DataError('this browser has no DecompressionStream (Chromium 80, Firefox 113 and Safari 16.4 have it)');
	let binary;
	try {
		binary = atob(text.trim());
	} catch {
		throw new DataError('they are not base64');
	}
	const packed = new Uint8Array(binary.length);
	for (let i = 0; i < packed.length; i++)
		packed[i] = binary.charCodeAt(i);
	try {
		const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
		return new Uint8Array(await new Response(stream).arrayBuffer());
	} catch {
		throw new DataError('they cannot be unpacked; the file may have been cut off');
	}
}
