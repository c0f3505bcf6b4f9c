// What the user can do: each action changes the state, keeps it in the URL's hash, and shows it.
import { cellsOf, timeOf } from './select.js';
import { stateText } from './state.js';

/** @typedef {import('./state.js').State} State */
/** @typedef {'heat' | 'byProcess' | 'byCpu' | 'byTime' | 'lines' | 'collapse' | 'idle'} Toggle */

/** Those that are about the lanes of time: what else is shown stays. @type {{[field: string]: Partial<import('./state.js').State>}} */
const OF_LANES = { heat: {}, byProcess: { byCpu: false }, byCpu: { byProcess: false } };

export class Actions {
	/** @param {import('./selected.js').Selected} selected @param {() => void} show the state */
	constructor(selected, show) {
		this.selected = selected;
		this.show = show;
		/** What shows the chosen function without show(). */
		this.mark = () => {};
	}

	get state() {
		return this.selected.state;
	}

	/** @param {Partial<State>} changes a step that the browser's Back undoes */
	change(changes) {
		const state = { ...this.state, ...changes };
		const hash = stateText(state);
		if (hash !== stateText(this.state))
			history.pushState(null, '', '#' + hash);
		this.take(state);
	}

	/** @param {State} state */
	take(state) {
		this.selected.state = state;
		this.show();
	}

	/** Keep what the user chose in a view, for the next one; no step for the browser's Back. @param {number} func -1: none */
	choose(func) {
		this.selected.state = { ...this.state, focus: func };
		history.replaceState(null, '', '#' + stateText(this.state));
		this.mark();
	}

	/** @param {number} func @param {boolean} wantsSource */
	openFunction(func, wantsSource) {
		const source = wantsSource ? this.selected.sourceOf(func) : -1;
		this.change(source >= 0 ? { view: 'source', source } : { view: 'callers', focus: func, zoom: '', down: '' });
	}

	/** Typing is one step for the browser's Back. @param {string} text */
	search(text) {
		this.selected.state = { ...this.state, search: text };
		history.replaceState(null, '', '#' + stateText(this.state));
		this.show();
	}

	reset() {
		this.change({ keep: '', hide: '', noKinds: '', idle: false, search: '', from: 0, to: -1, baseFrom: 0, baseTo: -1, timeFrom: 0,
			timeTo: -1, thread: -1, zoom: '', down: '', focus: -1, noBinaries: '', collapse: false, lines: false, byTime: false });
	}

	/** Hide the stacks with a function, besides those that are hidden. @param {string} name */
	hideFunction(name) {
		const exactly = `^${name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')}$`;
		this.change({ hide: this.state.hide ? `${this.state.hide}|${exactly}` : exactly, zoom: '', down: '' });
	}

	/** @param {Toggle} field */
	toggle(field) {
		/* Functions have other numbers when lines are apart. */
		const other = field === 'lines' ? { focus: -1 } : {};
		this.change({ [field]: !this.state[field], ...(OF_LANES[field] ?? { zoom: '', down: '' }), ...other });
	}

	/**
	 * @param {'noKinds' | 'noBinaries'} field a list
	 * @param {string} name to put in or take out
	 * @param {string} separator
	 */
	toggleIn(field, name, separator) {
		const names = new Set(this.state[field].split(separator).filter(Boolean));
		if (!names.delete(name))
			names.add(name);
		this.change({ [field]: [...names].join(separator), zoom: '', down: '' });
	}

	/**
	 * Move or change the span of time; without one, begin with a tenth of what is there.
	 * @param {number} move
	 * @param {number} grow both in lengths of the span
	 */
	moveSpan(move, grow) {
		const { from, to, timeFrom, timeTo } = this.state;
		const [first, last] = timeTo >= 0 ? [timeFrom, timeTo] : [0, cellsOf(this.selected.recording) - 1];
		if (to < 0) {
			this.change({ from: first, to: first + Math.floor((last - first) / 10) });
			return;
		}
		const size = Math.max(1, Math.round((to - from + 1) * (1 + grow)));
		const start = Math.max(0, Math.min(from + Math.round((to - from + 1) * move), last + 1 - size));
		this.change({ from: start, to: Math.min(last, start + size - 1) });
	}

	/** Select the time of a span, and show it with as much time around it. @param {import('./data.js').Span} span */
	goTo(span) {
		this.change(timeOf(this.selected.recording, span));
	}

	zoomTime() {
		const { from, to, timeTo } = this.state;
		if (to < 0 || (timeTo >= 0 && this.state.timeFrom === from && timeTo === to))
			this.change({ timeFrom: 0, timeTo: -1 });
		else
			this.change({ timeFrom: from, timeTo: to });
	}

	/** The span becomes the baseline; without one, the baseline goes. */
	setBaseline() {
		const { from, to } = this.state;
		this.change(to < 0 ? { baseFrom: 0, baseTo: -1 } : { baseFrom: from, baseTo: to, from: 0, to: -1 });
	}
}
