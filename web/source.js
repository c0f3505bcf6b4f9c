// Source and instructions of a function with what they cost, side by side.
import { element } from './dom.js';
import { Table } from './table.js';
import { percent, shown, weightText } from './text.js';

const HOTTEST = 6;

/**
 * @typedef {{file: number, number: number, text: string, cost: number}} Line number 0: the name of a file
 */

/**
 * @param {import('./data.js').Source} source
 * @param {Float64Array} costs by instruction
 * @returns {Line[]} the files, those with most cost first, each with its lines
 */
export function sumLines(source, costs) {
	/** @type {Map<string, number>} */
	const sums = new Map();
	const ofFile = source.files.map(() => 0);
	source.insns.forEach(({ file, line }, i) => {
		sums.set(`${file}:${line}`, (sums.get(`${file}:${line}`) ?? 0) + costs[i]);
		if (file >= 0)
			ofFile[file] += costs[i];
	});
	const order = Array.from(ofFile.keys()).sort((a, b) => ofFile[b] - ofFile[a] || a - b);
	return order.flatMap((file) => {
		const { path, lines } = source.files[file];
		const texts = new Map(lines);
		/* Lines without text: the file was not found. */
		for (const key of sums.keys())
			if (key.startsWith(`${file}:`) && !texts.has(Number(key.split(':')[1])))
				texts.set(Number(key.split(':')[1]), '');
		const numbers = [...texts.keys()].sort((a, b) => a - b);
		return [{ file, number: 0, text: path, cost: ofFile[file] }, ...numbers.map((number) =>
			({ file, number, text: texts.get(number) ?? '', cost: sums.get(`${file}:${number}`) ?? 0 }))];
	});
}

/**
 * @param {import('./data.js').Source} source
 * @returns {{insn: number, heading: string}[]} rows: the instructions, and above them, where function or file change, what
 *	they are; insn of a heading: -1
 */
export function insnRows(source) {
	/** @type {{insn: number, heading: string}[]} */
	const rows = [];
	let last = { file: -1, inlined: '' };
	source.insns.forEach((insn, i) => {
		const { file, line, inlined } = insn;
		const isNew = file !== last.file || inlined !== last.inlined;
		if (isNew && (file >= 0 || inlined || i)) {
			const place = file >= 0 ? `  ${source.files[file].path.split('/').pop()}:${line}` : '';
			rows.push({ insn: -1, heading: `${inlined ? `${inlined} (inlined)` : source.name}${place}` });
		}
		rows.push({ insn: i, heading: '' });
		last = insn;
	});
	return rows;
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
		/** @type {{insn: number, heading: string}[]} */
		this.rows = [];
		/** @type {{file: number, number: number}} */
		this.chosen = { file: -1, number: 0 };
		this.shown = -1;
		this.source = sources[0];
		/** By instruction. */
		this.costs = new Float64Array();
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
			const { insn } = this.rows[i];
			if (insn >= 0)
				this.choose({ file: this.source.insns[insn].file, number: this.source.insns[insn].line }, 'lines');
		} });
		sources.forEach((s, i) => this.select.append(element('option', { value: String(i) }, `${shown(s.name)} - ${shown(s.binary)}`)));
		this.select.addEventListener('change', () => choose(Number(this.select.value)));
	}

	/**
	 * @param {number} source
	 * @param {Float64Array} costs by place, of what is selected
	 * @param {boolean} isTime they are nanoseconds
	 * @param {boolean} isAll everything is selected
	 */
	show(source, costs, isTime, isAll) {
		this.source = this.sources[source];
		if (!this.source) {
			this.note.textContent = 'This page has no code of functions; perf report --html-source puts it in.';
			return;
		}
		const { place, insns } = this.source;
		const all = costs.subarray(place, place + insns.length + 1);
		this.costs = all.subarray(1);
		this.isTime = isTime;
		this.whole = all.reduce((sum, cost) => sum + cost, 0);
		this.lines = sumLines(this.source, this.costs);
		this.most = Math.max(1, ...this.lines.filter((l) => l.number).map((l) => l.cost));
		this.mostInsn = this.costs.reduce((a, b) => Math.max(a, b), 1);
		this.select.value = String(source);
		this.showNote(isAll);
		this.showHottest();
		this.lineTable.show(this.lines.length, '');
		this.rows = insnRows(this.source);
		this.insnTable.show(this.rows.length, '');
		if (this.shown !== source && this.hottest?.length)
			this.choose(this.hottest[0], 'both');
		this.shown = source;
	}

	/** @param {boolean} isAll */
	showNote(isAll) {
		const { source } = this;
		const newer = source.files.filter((f) => f.newer).map((f) => f.path);
		const missing = source.files.filter((f) => !f.lines.length).map((f) => f.path);
		this.note.textContent = shown([`${weightText(this.whole, this.isTime)} in the function itself${isAll ? '.' : ', of what is selected.'}`,
			source.why && `No instructions: ${source.why}.`,
			newer.length && `Changed after the program was built, lines may have moved: ${newer.join(', ')}.`,
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
		const costs = this.source.insns.map((in_, i) => (this.isChosen(in_.file, in_.line) ? this.costs[i] : -1));
		const hot = costs.reduce((best, cost, i) => (cost > (costs[best] ?? -1) ? i : best), -1);
		if (reveal !== 'insns')
			this.lineTable.reveal(this.lines.findIndex((l) => this.isChosen(l.file, l.number)));
		if (reveal !== 'lines' && hot >= 0)
			this.insnTable.reveal(this.rows.findIndex((r) => r.insn === hot));
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
		const { insn, heading } = this.rows[i];
		if (insn < 0)
			return { cells: ['', '', shown(heading), ''] };
		const { addr, text, file, line } = this.source.insns[insn];
		const cost = this.costs[insn];
		return {
			cells: [cost ? percent(cost, this.whole) : '', addr, shown(text), line ? String(line) : ''],
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
