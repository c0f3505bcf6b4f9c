// Tables of which only the rows that can be seen are in the page.
import { element, say } from './dom.js';
import { heaviestOf } from './tree.js';
import { count } from './text.js';
import { isPrinting } from './theme.js';

const ROW_HEIGHT = 24;
const MOST_PRINTED = 200; /* rows */
const NARROW = '(max-width: 699px)'; /* as in page.css */

/**
 * @typedef {{id: string, title: string, isNumber: boolean, help: string, isCode?: boolean, leads?: boolean}} Column leads: the first one in a narrow window
 * @typedef {{cells: string[], level?: number, sign?: string, isMarked?: boolean, heat?: number, link?: string, color?: string}} Row
 * heat: 0 to 1, of the first cell; color: a swatch in it; link: id of a column that does something of its own
 */

export class Table {
	/**
	 * @param {string} id of the table; what scrolls is its parent
	 * @param {Column[]} columns
	 * @param {{row: (i: number) => Row, click: (i: number, column: string) => void, sort?: (id: string) => void, choose?: (i: number) => void}} calls choose: a row by keys
	 */
	constructor(id, columns, calls) {
		this.table = /** @type {HTMLTableElement} */ (document.getElementById(id));
		this.scroller = /** @type {HTMLElement} */ (this.table.parentElement);
		this.body = this.table.tBodies[0];
		this.columns = columns;
		this.calls = calls;
		this.nr = 0;
		/** Columns from the left. */
		this.order = [...columns.keys()];
		/** The row that keys act on. */
		this.chosen = -1;
		const head = element('tr');
		for (const c of columns) {
			const cell = element('th', { scope: 'col', title: c.help, class: c.isNumber ? 'number' : '', 'data-column': c.id });
			if (calls.sort) {
				const button = element('button', { type: 'button', 'data-sort': c.id }, c.title);
				button.addEventListener('click', () => calls.sort?.(c.id));
				cell.append(button);
			} else {
				cell.textContent = c.title;
			}
			head.append(cell);
		}
		this.table.tHead?.append(head);
		this.scroller.addEventListener('scroll', () => this.draw());
		this.body.addEventListener('click', (e) => {
			const target = /** @type {HTMLElement} */ (e.target);
			const row = target.closest('tr[data-row]');
			if (!row)
				return;
			this.chosen = Number(row.getAttribute('data-row'));
			calls.click(this.chosen, target.closest('td')?.dataset.column ?? '');
		});
	}

	/**
	 * @param {number} nr rows
	 * @param {string} sorted id of the column by which they are sorted
	 */
	show(nr, sorted) {
		this.nr = nr;
		this.table.setAttribute('aria-rowcount', String(nr + 1));
		this.arrange();
		this.table.querySelectorAll('th').forEach((th) => {
			if (th.dataset.column === sorted)
				th.setAttribute('aria-sort', th.className ? 'descending' : 'ascending');
			else
				th.removeAttribute('aria-sort');
		});
		this.draw();
	}

	/** Put the columns in the order for this window. */
	arrange() {
		const isNarrow = matchMedia(NARROW).matches;
		const places = [...this.columns.keys()];
		this.order = places.sort((a, b) => (isNarrow ? Number(this.columns[b].leads ?? false) - Number(this.columns[a].leads ?? false) : 0) || a - b);
		const cells = new Map([...this.table.querySelectorAll('th')].map((th) => [th.dataset.column, th]));
		this.table.tHead?.rows[0].replaceChildren(...this.order.map((k) => /** @type {Node} */ (cells.get(this.columns[k].id))));
	}

	/** Choose a row, and scroll to it if it is another one. @param {number} i -1: none */
	choose(i) {
		if (i >= 0 && i !== this.chosen) {
			this.chosen = i;
			this.reveal(i);
		}
		this.chosen = i;
	}

	draw() {
		const isAll = isPrinting();
		const seen = isAll ? MOST_PRINTED : Math.ceil((this.scroller.clientHeight || innerHeight) / ROW_HEIGHT) + 4;
		const from = isAll ? 0 : Math.max(0, Math.min(this.nr - seen, Math.floor(this.scroller.scrollTop / ROW_HEIGHT) - 2));
		const to = Math.min(this.nr, from + seen);
		const rows = isAll ? [] : [this.space(from)];
		for (let i = from; i < to; i++)
			rows.push(this.row(i));
		if (isAll && to < this.nr)
			rows.push(this.note(`and ${count(this.nr - to)} more rows`));
		else if (!isAll)
			rows.push(this.space(this.nr - to));
		this.body.replaceChildren(...rows);
	}

	/** Choose another row. @param {string} key ArrowUp etc. */
	move(key) {
		const page = Math.max(1, Math.floor(this.scroller.clientHeight / ROW_HEIGHT) - 2);
		const steps = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page, Home: -this.nr, End: this.nr };
		const step = steps[/** @type {keyof steps} */ (key)] ?? 0;
		this.chosen = Math.max(0, Math.min(this.nr - 1, this.chosen + step));
		const top = this.chosen * ROW_HEIGHT; /* below the head, which stays */
		if (top < this.scroller.scrollTop || top + 2 * ROW_HEIGHT > this.scroller.scrollTop + this.scroller.clientHeight)
			this.reveal(this.chosen);
		this.draw();
		if (this.nr)
			this.calls.choose?.(this.chosen);
		say(this.nr ? this.calls.row(this.chosen).cells.filter(Boolean).join(', ') : '');
	}

	/** Do what a click on the chosen row does. */
	open() {
		if (this.chosen >= 0 && this.chosen < this.nr)
			this.calls.click(this.chosen, '');
	}

	/** @param {string} text @returns {HTMLElement} a row with it */
	note(text) {
		const row = element('tr');
		row.append(element('td', { colspan: String(this.columns.length) }, text));
		return row;
	}

	/** Scroll to a row. @param {number} i */
	reveal(i) {
		this.scroller.scrollTop = Math.max(0, (i + 1) * ROW_HEIGHT - this.scroller.clientHeight / 2);
		this.draw();
	}

	/** @param {number} nr @returns {HTMLElement} room for rows that are not there */
	space(nr) {
		const row = element('tr', { 'aria-hidden': 'true' });
		row.style.height = `${nr * ROW_HEIGHT}px`;
		return row;
	}

	/** @param {number} i @returns {HTMLElement} */
	row(i) {
		const { cells, level, sign, isMarked, heat, link, color } = this.calls.row(i);
		const row = element('tr', { 'data-row': String(i), 'aria-rowindex': String(i + 2) });
		if (isMarked)
			row.className = 'marked';
		if (i === this.chosen)
			row.setAttribute('aria-current', 'true');
		for (const k of this.order) {
			const text = cells[k] ?? '';
			const { id, isNumber, isCode } = this.columns[k];
			const cell = element('td', { 'data-column': id, class: isNumber ? 'number' : isCode ? 'code' : '' }, text);
			if (!isNumber)
				cell.title = text;
			if (link === id)
				cell.classList.add('link');
			if (heat && k === 0)
				cell.style.background = `color-mix(in srgb, var(--hot) ${Math.round(15 + 85 * heat)}%, transparent)`;
			if (color && k === 0) {
				const box = element('span', { class: 'swatch' });
				box.style.background = color;
				cell.prepend(box);
			}
			if (level !== undefined && k === cells.length - 2) {
				cell.textContent = `${sign} ${text}`;
				cell.style.paddingLeft = `${Math.min(level, 60) * 12 + 4}px`;
			}
			row.append(cell);
		}
		return row;
	}
}

/** A call tree as a table: rows open and close. */
export class TreeTable {
	/**
	 * @param {(func: number) => {name: string, binary: string}} names
	 * @param {(func: number) => void} choose a row was chosen
	 */
	constructor(names, choose) {
		/** @type {{node: number, level: number}[]} */
		this.rows = [];
		/** @type {Set<number>} */
		this.open = new Set();
		this.names = names;
		this.choose = choose;
		this.table = new Table('tree', [
			{ id: 'total', title: 'Total', isNumber: true, help: 'of the function and what it calls' },
			{ id: 'self', title: 'Self', isNumber: true, help: 'of the function itself' },
			{ id: 'name', title: 'Function', isNumber: false, help: 'click a row to open it' },
			{ id: 'binary', title: 'Binary', isNumber: false, help: 'program, library, kernel' },
		], { row: (i) => this.row(i), click: (i) => this.toggle(i), choose: (i) => this.chooseRow(i) });
	}

	/**
	 * @param {import('./tree.js').Tree} tree
	 * @param {(weight: number) => string} share
	 * @param {number} func to choose where it costs most; -1: none
	 */
	show(tree, share, func) {
		this.tree = tree;
		this.share = share;
		this.open = new Set();
		this.table.chosen = -1;
		/* Open the way to the heaviest, as far as one child has half of its parent. */
		for (let i = tree.children[tree.first[0]]; i !== undefined; i = this.children(i)[0]) {
			this.open.add(i);
			if (!(tree.total[this.children(i)[0]] > tree.total[i] / 2))
				break;
		}
		const best = heaviestOf(tree, func);
		for (let i = tree.parent[best]; i; i = tree.parent[i])
			this.open.add(i);
		this.list();
		this.table.choose(best ? this.rows.findIndex((r) => r.node === best) : -1);
		this.table.draw();
	}

	/** @param {number} node @returns {number[]} with a weight, heaviest first */
	children(node) {
		const { tree } = this;
		return tree ? Array.from(tree.children.subarray(tree.first[node], tree.first[node + 1])).filter((i) => tree.total[i] > 0) : [];
	}

	list() {
		this.rows = [];
		const open = this.children(0).reverse().map((node) => ({ node, level: 0 }));
		for (let row = open.pop(); row; row = open.pop()) {
			this.rows.push(row);
			if (this.open.has(row.node))
				for (const node of this.children(row.node).reverse())
					open.push({ node, level: row.level + 1 });
		}
		this.table.show(this.rows.length, '');
	}

	/** @param {number} i */
	toggle(i) {
		const { node } = this.rows[i];
		this.chooseRow(i);
		if (!this.open.delete(node))
			this.open.add(node);
		this.list();
	}

	/** @param {number} i */
	chooseRow(i) {
		this.choose(this.tree?.func[this.rows[i].node] ?? -1);
	}

	/** Open the chosen row, or close it; where it is closed, go to its caller. @param {boolean} opens */
	turn(opens) {
		const i = this.table.chosen;
		const row = this.rows[i];
		if (!row)
			return;
		if (this.open.has(row.node) !== opens && (opens ? this.children(row.node).length : true))
			this.toggle(i);
		else if (!opens && row.level)
			while (this.rows[this.table.chosen].level >= row.level)
				this.table.chosen--;
		this.table.move('');
	}

	/** @param {number} i @returns {Row} */
	row(i) {
		const { node, level } = this.rows[i];
		const { tree, share } = this;
		if (!tree || !share)
			return { cells: [] };
		const { name, binary } = this.names(tree.func[node]);
		const sign = !this.children(node).length ? ' ' : this.open.has(node) ? '−' : '+';
		const [wasTotal, was] = [tree.wasTotal?.[node] ?? 0, tree.was?.[node] ?? 0];
		return { cells: [share(tree.total[node] - wasTotal), share(tree.self[node] - was), name, binary], level, sign };
	}
}
