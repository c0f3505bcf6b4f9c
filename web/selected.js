// What the state selects: the functions, their tree, and those that the search finds. The views read it.
import { eventsOf, Model } from './model.js';
import { cellsOf, kindOf, matching, pattern, selectByTime, selectTree } from './select.js';
import { parseState } from './state.js';
import { INLINED, shown } from './text.js';

/** @typedef {import('./state.js').State} State */

export const VIEWS = { flame: 'Flame graph', callers: 'Callers and callees', functions: 'Functions', tree: 'Tree', source: 'Source', spans: 'Slow spans' };
export const CPU_AND_WAITS = 'CPU and waits';
export const COMPARED_VIEWS = ['flame', 'callers', 'functions'];

export class Selected {
	/** @param {import('./data.js').Recording} recording @param {string} hash of the URL */
	constructor(recording, hash) {
		this.recording = recording;
		this.comparison = recording.facts.comparison;
		/** By line, by function; made when it is first shown. @type {Map<boolean, Model>} */
		this.models = new Map();
		/** What was last searched for, and in what. @type {{funcs: import('./tree.js').Func[], search: string, matches: Uint8Array | null}} */
		this.matched = { funcs: [], search: '', matches: null };
		/** @type {import('./tree.js').Tree | undefined} */
		this.keptByTime = undefined;
		/** What this.kept is the tree of. */
		this.key = '';
		this.state = this.checked(parseState(hash));
	}

	/** @param {State} s @returns {State} without ids that the recording does not have */
	checked(s) {
		const { events, threads } = this.recording.facts;
		if (!events[s.event]?.nr)
			s.event = -1;
		if (!threads[s.thread])
			s.thread = -1;
		if (!this.modelOf(s.lines).funcs[s.focus])
			s.focus = -1;
		if (!this.recording.sources[s.source])
			s.source = 0;
		for (const [from, to] of /** @type {const} */ ([['from', 'to'], ['baseFrom', 'baseTo'], ['timeFrom', 'timeTo']]))
			if (s[from] < 0 || s[to] < s[from] || s[to] >= cellsOf(this.recording))
				Object.assign(s, { [from]: 0, [to]: -1 });
		s.byCpu &&= this.recording.cpus.cell.length > 0;
		if (!(s.view in VIEWS) || (s.view === 'spans' && !this.recording.spans.length) || (this.comparison && !COMPARED_VIEWS.includes(s.view)))
			s.view = 'flame';
		if (this.comparison)
			Object.assign(s, { from: 0, to: -1, baseFrom: 0, baseTo: -1, byTime: false, lines: false, noKinds: '', thread: -1 });
		return s;
	}

	/** @param {boolean} lines @returns {Model} */
	modelOf(lines) {
		const model = this.models.get(lines) ?? new Model(this.recording, lines);
		this.models.set(lines, model);
		return model;
	}

	get model() {
		return this.modelOf(this.state.lines);
	}

	/** What is shown: an event, or several as one. @returns {import('./data.js').Event} */
	get event() {
		const { facts } = this.recording;
		const [first, ...more] = eventsOf(facts, this.state.event).map((i) => facts.events[i]);
		return more.reduce((sum, e) => ({ ...sum, name: CPU_AND_WAITS, nr: sum.nr + e.nr, weight: sum.weight + e.weight }), first);
	}

	/** @param {number} func @returns {string} */
	nameOf(func) {
		return this.named(func, this.model.funcs[func].name);
	}

	/** @param {number} func @returns {string} without arguments of templates and versions of symbols */
	shortOf(func) {
		return this.named(func, this.model.funcs[func].short);
	}

	/** @param {number} func @param {string} name @returns {string} */
	named(func, name) {
		const f = this.model.funcs[func];
		return shown(name) + (this.state.lines && f.line ? `:${f.line}` : '') + (kindOf(f) === 'inlined' ? INLINED : '');
	}

	/** @param {number} node @returns {string[]} its function and those that call it */
	stackOf(node) {
		const names = [];
		for (let i = node; i; i = this.model.parent[i])
			names.push(this.nameOf(this.model.func[i]));
		return names;
	}

	/** The tree of the selection; kept until the selection or the theme changes. @returns {import('./tree.js').Tree} */
	tree() {
		const { event, thread, from, to, keep, hide, noKinds, idle, baseFrom, baseTo, lines, collapse, noBinaries } = this.state;
		const key = JSON.stringify([event, thread, from, to, keep, hide, noKinds, idle, baseFrom, baseTo, lines, collapse, noBinaries]);
		if (this.key !== key || !this.kept) {
			this.kept = selectTree(this.model, this.state);
			this.keptByTime = undefined;
		}
		this.key = key;
		return this.kept;
	}

	/** @returns {Uint8Array | null} by function, whether the search finds it; null: nothing is searched for */
	get matches() {
		const { funcs } = this.model;
		const { search } = this.state;
		if (this.matched.funcs !== funcs || this.matched.search !== search)
			this.matched = { funcs, search, matches: pattern(search) && matching(funcs, search) };
		return this.matched.matches;
	}

	/** @returns {import('./tree.js').Tree} as tree(), by time */
	treeByTime() {
		const tree = this.tree();
		this.keptByTime ??= selectByTime(this.model, this.state, tree);
		return this.keptByTime;
	}

	/** @param {number} source @returns {number} its function; -1: it is not there */
	functionOf(source) {
		const s = this.recording.sources[source];
		return this.model.funcs.findIndex((f) => f.name === s?.name && f.binary === s.binary);
	}

	/** @param {number} func @returns {number} the function's code in the page; -1: it is not there */
	sourceOf(func) {
		const f = this.model.funcs[func];
		return this.recording.sources.findIndex((s) => s.name === f?.name && s.binary === f.binary);
	}
}

/** @param {import('./tree.js').Tree} tree @returns {number} the weight of it, without the baseline's */
export function nowOf(tree) {
	return tree.total[0] - (tree.wasTotal?.[0] ?? 0);
}
