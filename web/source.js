// Source and instructions of a function with what they cost, side by side.
import { element, Table } from './table.js';
import { percent, shown, weightText } from './text.js';

const HOTTEST = 6;

/**
 * @typedef {{file: number, number: number, text: string, cost: number, nr: number}} Line number 0: the name of a file
 */

/**
 * @param {import('./data.js').Source} source
 * @param {number} event
 * @returns {Line[]} the files, those with most cost first, each with its lines
 */
export function sumLines(source, event) {
	/** @type {Map<string, {cost: number, nr: number}>} */
	const sums = new Map();
	const ofFile = source.files.map(() => 0);
	for (const { file, line, costs } of source.insns) {
		const sum = sums.get(`${file}:${line}`) ?? { cost: 0, nr: 0 };
		sum.nr += costs[2 * event] ?? 0;
		sum.cost += costs[2 * event + 1] ?? 0;
		sums.set(`${file}:${line}`, sum);
		if (file >= 0)
			ofFile[file] += costs[2 * event + 1] ?? 0;
	}
	const order = Array.from(ofFile.keys()).sort((a, b) => ofFile[b] - ofFile[a] || a - b);
	return order.flatMap((file) => {
		const { path, lines } = source.files[file];
		const texts = new Map(lines);
		/* Lines without text: the file was not found. */
		for (const key of sums.keys())
			if (key.startsWith(`${file}:`) && !texts.has(Number(key.split(':')[1])))
				texts.set(Number(key.split(':')[1]), '');
		const numbers = [...texts.keys()].sort((a, b) => a - b);
		const none = { cost: 0, nr: 0 };
		return [{ file, number: 0, text: path, cost: ofFile[file], nr: 0 }, ...numbers.map((number) =>
			({ file, number, text: texts.get(number) ?? '', ...(sums.get(`${file}:${number}`) ?? none) }))];
	});
}

export class SourceView {
	/**
	 * @param {import('./data.js').Source[]} sources
	 * @param {(source: number) => void} choose another function
	 */
	constructor(sources, choose) {
		this.sources = sources;
		this.select = /** @type {HTMLSelectElement} */ (document.getElementById('source-function'));
		this.note = /** @type {HTMLElement} */ (document.getElementById('source-note'));
		this.hot = /** @type {HTMLElement} */ (document.getElementById('source-hot'));
		/** @type {Line[]} */
		this.lines = [];
		/** @type {{file: number, number: number}} */
		this.chosen = { file: -1, number: 0 };
		this.shown = '';
		this.source = sources[0];
		this.event = 0;
		this.isTime = false;
		this.whole = 0;
		this.most = this.mostInsn = 1;
		const cost = { id: 'cost', title: 'Cost', isNumber: true, help: 'of the function itself' };
		const number = { id: 'line', title: 'Line', isNumber: true, help: 'in the source file' };
		this.lineTable = new Table('lines', [cost, number,
			{ id: 'text', title: 'Source', isNumber: false, isCode: true, help: 'click a line to see its instructions' },
		], { row: (i) => this.lineRow(i), click: (i) => this.choose(this.lines[i], 'insns') });
		this.insnTable = new Table('insns', [cost,
			{ id: 'address', title: 'Address', isNumber: true, help: 'in the binary' },
			{ id: 'text', title: 'Instruction', isNumber: false, isCode: true, help: 'click one to see its source line' }, number,
		], { row: (i) => this.insnRow(i), click: (i) => {
			const { file, line } = this.source.insns[i];
			this.choose({ file, number: line }, 'lines');
		} });
		sources.forEach((s, i) => this.select.append(element('option', { value: String(i) }, `${shown(s.name)} - ${shown(s.binary)}`)));
		this.select.addEventListener('change', () => choose(Number(this.select.value)));
	}

	/** @param {number} source @param {number} event @param {boolean} isTime */
	show(source, event, isTime) {
		const key = `${source} ${event}`;
		this.source = this.sources[source];
		if (!this.source) {
			this.note.textContent = 'This page has no code of functions; perf report --html-source puts it in.';
			return;
		}
		this.event = event;
		this.isTime = isTime;
		this.whole = this.source.costs[2 * event + 1] ?? 0;
		this.lines = sumLines(this.source, event);
		this.most = Math.max(1, ...this.lines.filter((l) => l.number).map((l) => l.cost));
		this.mostInsn = this.source.insns.reduce((m, i) => Math.max(m, i.costs[2 * event + 1] ?? 0), 1);
		this.select.value = String(source);
		this.showNote();
		this.showHottest();
		this.lineTable.show(this.lines.length, '');
		this.insnTable.show(this.source.insns.length, '');
		if (this.shown !== key && this.hottest?.length)
			this.choose(this.hottest[0], 'both');
		this.shown = key;
	}

	showNote() {
		const { source } = this;
		const newer = source.files.filter((f) => f.newer).map((f) => f.path);
		const missing = source.files.filter((f) => !f.lines.length).map((f) => f.path);
		this.note.textContent = shown([`${weightText(this.whole, this.isTime)} in the function itself, of all samples of this page: ` +
			'span and filters do not change it.', source.why && `No instructions: ${source.why}.`,
		newer.length && `Newer than the binary, lines may have moved: ${newer.join(', ')}.`,
		missing.length && `Not found: ${missing.join(', ')}.`].filter(Boolean).join(' '));
	}

	showHottest() {
		this.hottest = this.lines.filter((l) => l.number && l.cost).sort((a, b) => b.cost - a.cost).slice(0, HOTTEST);
		this.hot.replaceChildren(...this.hottest.map((line) => {
			const name = this.source.files[line.file].path.split('/').pop();
			const button = element('button', { type: 'button' }, shown(`${name}:${line.number} ${percent(line.cost, this.whole)}`));
			button.addEventListener('click', () => this.choose(line, 'both'));
			return button;
		}));
	}

	/**
	 * Mark a line and its instructions.
	 * @param {{file: number, number: number}} line
	 * @param {string} reveal 'lines', 'insns', 'both'
	 */
	choose(line, reveal) {
		this.chosen = line;
		const costs = this.source.insns.map((in_) => (this.isChosen(in_.file, in_.line) ? in_.costs[2 * this.event + 1] ?? 0 : -1));
		const hot = costs.reduce((best, cost, i) => (cost > (costs[best] ?? -1) ? i : best), -1);
		if (reveal !== 'insns')
			this.lineTable.reveal(this.lines.findIndex((l) => this.isChosen(l.file, l.number)));
		if (reveal !== 'lines' && hot >= 0)
			this.insnTable.reveal(hot);
		this.lineTable.draw();
		this.insnTable.draw();
	}

	/** @param {number} file @param {number} number @returns {boolean} */
	isChosen(file, number) {
		return number > 0 && this.chosen.file === file && this.chosen.number === number;
	}

	/** @param {number} i @returns {import('./table.js').Row} */
	lineRow(i) {
		const { file, number, text, cost } = this.lines[i];
		return {
			cells: [cost ? percent(cost, this.whole) : '', number ? String(number) : '', shown(number ? tabs(text) : text)],
			heat: number ? cost / this.most : 0, isMarked: this.isChosen(file, number),
		};
	}

	/** @param {number} i @returns {import('./table.js').Row} */
	insnRow(i) {
		const { addr, text, file, line, costs } = this.source.insns[i];
		const cost = costs[2 * this.event + 1] ?? 0;
		return {
			cells: [cost ? percent(cost, this.whole) : '', addr.toString(16), shown(text), line ? String(line) : ''],
			heat: cost / this.mostInsn, isMarked: this.isChosen(file, line),
		};
	}
}

/** @param {string} text @returns {string} with blanks in place of tabs */
function tabs(text) {
	let out = '';
	for (const c of text)
		out += c === '\t' ? ' '.repeat(8 - (out.length % 8)) : c;
	return out.trimEnd();
}
