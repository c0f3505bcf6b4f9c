// The bar of controls, the legend, and the line that says what is left out.
import { colorOfVerdict, LEGEND } from './compare.js';
import { element, part } from './dom.js';
import { sumMatches } from './sums.js';
import { eventsOf } from './model.js';
import { kindOf, KINDS, pattern } from './select.js';
import { COMPARED_VIEWS, CPU_AND_WAITS, nowOf, VIEWS } from './selected.js';
import { count, duration, percent, shown, weightText } from './text.js';
import { colorOf } from './theme.js';

const MOST_BINARIES = 8; /* in the legend */
const LEGEND_OF_LANES = [['on the CPU', '--heat'], ['waits', '--wait']]; /* of the lanes of time, where threads wait */
const LEGEND_OF_SPANS = [['spans', '--dim'], ['slow spans', '--bad']];
const KINDS_OF_WAITS = ['waiting', 'idle']; /* in the legend of recordings that have them */

/** Buttons that are on or off: id, title, field of the state. @type {[string, string, import('./actions.js').Toggle][]} */
const TOGGLES = [['heat', 'Heat map', 'heat'], ['by-process', 'Processes', 'byProcess'], ['by-cpu', 'Processors', 'byCpu'],
	['by-time', 'By time', 'byTime'], ['lines', 'By line', 'lines'], ['collapse', 'Collapse recursion', 'collapse']];

/** In a narrow window, show the controls, or hide them. @param {boolean} isOpen */
export function openDrawer(isOpen) {
	document.body.classList.toggle('open', isOpen);
	part('drawer').setAttribute('aria-expanded', String(isOpen));
	dispatchEvent(new Event('resize')); /* lanes of time have the width of what is shown */
}

export class Bar {
	/**
	 * @param {import('./selected.js').Selected} selected
	 * @param {import('./actions.js').Actions} actions
	 * @param {{saveAs: (type: string) => void, help: () => void, open: (view: string) => void}} calls open: a view
	 */
	constructor(selected, actions, { saveAs, help, open }) {
		this.selected = selected;
		this.actions = actions;
		this.saveAs = saveAs;
		this.help = help;
		this.open = open;
		part('drawer').hidden = false;
		part('drawer').addEventListener('click', () => openDrawer(!document.body.classList.contains('open')));
		this.fill();
		this.fillLegend();
	}

	fill() {
		const { actions } = this;
		const { comparison, recording } = this.selected;
		const { events, threads } = recording.facts;
		if (eventsOf(recording.facts, -1).length > 1)
			part('event').append(element('option', { value: '-1' }, CPU_AND_WAITS));
		events.forEach((e, i) => e.nr && part('event').append(element('option', { value: String(i) }, shown(e.name))));
		part('thread').append(element('option', { value: '-1' }, `all (${count(threads.length)})`));
		threads.forEach((t, i) => part('thread').append(element('option', { value: String(i) }, `${shown(t.name)} (${t.pid}/${t.tid})`)));
		part('event').addEventListener('change', () => actions.change({ event: Number(part('event').value) }));
		part('thread').addEventListener('change', () => actions.change({ thread: Number(part('thread').value) }));
		part('search').addEventListener('input', () => actions.search(part('search').value));
		for (const [view, title] of Object.entries(VIEWS).filter(([id]) => (comparison ? COMPARED_VIEWS.includes(id) : id !== 'spans' || recording.spans.length))) {
			const button = element('button', { type: 'button', 'data-view': view }, title);
			button.addEventListener('click', () => this.open(view));
			part('views').append(button);
		}
		/** @type {[string, string, () => void][]} */
		const buttons = [['keep', 'Keep matches', () => actions.change({ keep: actions.state.search, zoom: '' })],
			['hide', 'Hide matches', () => actions.change({ hide: actions.state.search, zoom: '' })],
			['reset', 'Reset', () => actions.reset()],
			['save-svg', 'SVG', () => this.saveAs('svg')], ['save-png', 'PNG', () => this.saveAs('png')],
			['save-folded', 'Folded', () => this.saveAs('folded')], ['save-json', 'JSON', () => this.saveAs('json')],
			['keys', 'Keys (?)', () => this.help()]];
		for (const [id, title, run] of buttons) {
			const button = element('button', { type: 'button', id }, title);
			button.addEventListener('click', run);
			part('actions').append(button);
		}
		for (const [id, title, field] of TOGGLES) {
			if ((field === 'byCpu' && !recording.cpus.cell.length) || (comparison && field !== 'collapse'))
				continue;
			const button = element('button', { type: 'button', id }, title);
			button.addEventListener('click', () => actions.toggle(field));
			part('shape').append(button);
		}
		for (const id of comparison ? ['event', 'thread'] : [])
			part(id).parentElement.hidden = true;
		part('time').parentElement.hidden = Boolean(comparison);
	}

	fillLegend() {
		const { actions } = this;
		const { comparison, recording } = this.selected;
		for (const [title, verdicts, sign] of comparison ? LEGEND : []) {
			const entry = element('span', { class: 'entry' });
			const box = element('span', { class: 'swatch' });
			box.style.background = colorOfVerdict(verdicts[0], sign);
			entry.append(box, title);
			part('legend').append(entry);
		}
		const ofWaits = new Set(recording.frames.map(kindOf));
		for (const [title, color] of comparison ? [] : [...(ofWaits.has('waiting') ? LEGEND_OF_LANES : []), ...(recording.spans.length ? LEGEND_OF_SPANS : [])]) {
			const entry = element('span', { class: 'entry' });
			const box = element('span', { class: 'swatch' });
			box.style.background = `var(${color})`;
			entry.append(box, title);
			part('legend').append(entry);
		}
		for (const kind of comparison ? [] : KINDS) {
			if (KINDS_OF_WAITS.includes(kind) && !ofWaits.has(kind))
				continue;
			const button = element('button', { type: 'button', 'data-kind': kind, title: `Show or hide stacks that end in ${kind} code` });
			const box = element('span', { class: 'swatch' });
			box.style.background = colorOf(kind, '');
			button.append(box, kind);
			button.addEventListener('click', () => (kind === 'idle' ? actions.toggle('idle') : actions.toggleIn('noKinds', kind, ',')));
			part('legend').append(button);
		}
		for (const name of this.largestBinaries()) {
			const button = element('button', { type: 'button', 'data-binary': name,
				title: 'Show its functions, or count them as their callers' }, shown(name));
			button.addEventListener('click', () => actions.toggleIn('noBinaries', name, '/'));
			part('legend').append(button);
		}
	}

	/** @returns {string[]} the binaries with most places in the code */
	largestBinaries() {
		const { cells, stacks, frames, facts } = this.selected.recording;
		const sums = new Float64Array(facts.binaries.length + 1);
		const numbers = this.selected.comparison ? cells.weight : cells.nr;
		cells.stack.forEach((stack, i) => (sums[stack ? frames[stacks.frame[stack]].binaryId : 0] += numbers[i]));
		return Array.from(sums.keys()).filter((i) => i && sums[i]).sort((a, b) => sums[b] - sums[a])
			.slice(0, MOST_BINARIES).map((i) => facts.binaries[i - 1]);
	}

	/** @param {import('./tree.js').Tree} tree */
	show(tree) {
		const { matches, state } = this.selected;
		const shownEvents = eventsOf(this.selected.recording.facts, state.event);
		part('event').value = String(shownEvents.length > 1 ? -1 : shownEvents[0]);
		part('thread').value = String(state.thread);
		if (part('search').value !== state.search)
			part('search').value = state.search;
		part('search').setAttribute('aria-invalid', String(Boolean(state.search) && !pattern(state.search)));
		part('matched').textContent = !state.search ? '' : !matches ? 'no regular expression'
			: `${percent(sumMatches(tree, matches), tree.total[0])} match; n: next`;
		for (const button of document.querySelectorAll('[data-view]'))
			button.setAttribute('aria-pressed', String(button.getAttribute('data-view') === state.view));
		for (const button of document.querySelectorAll('[data-kind]')) {
			const kind = button.getAttribute('data-kind') ?? '';
			button.setAttribute('aria-pressed', String(kind === 'idle' ? state.idle : !state.noKinds.split(',').includes(kind)));
		}
		for (const button of document.querySelectorAll('[data-binary]'))
			button.setAttribute('aria-pressed', String(!state.noBinaries.split('/').includes(button.getAttribute('data-binary') ?? '')));
		for (const [id, , field] of TOGGLES)
			part(id)?.setAttribute('aria-pressed', String(state[field]));
		part('keep').disabled = part('hide').disabled = !matches;
		this.showFilters(tree);
	}

	/** Say what is left out. @param {import('./tree.js').Tree} tree */
	showFilters(tree) {
		const { comparison, event, recording, state } = this.selected;
		const { cell } = recording.facts;
		const filters = [state.keep && `stacks with ${shown(state.keep)}`, state.hide && `stacks without ${shown(state.hide)}`,
			state.to >= 0 && `from ${duration(state.from * cell)} to ${duration((state.to + 1) * cell)}`,
			state.timeTo >= 0 && `time zoomed to ${duration(state.timeFrom * cell)} to ${duration((state.timeTo + 1) * cell)}`,
			state.noKinds && `without ${state.noKinds.split(',').join(', ')}`,
			this.selected.model.hasIdle && !state.idle && 'without idle waits',
			state.noBinaries && `functions of ${shown(state.noBinaries.split('/').join(', '))} count as their callers`].filter(Boolean);
		part('baseline').hidden = comparison ? state.view === 'functions' : state.baseTo < 0;
		part('baseline').textContent = `Compared with ${duration(state.baseFrom * cell)} to ${duration((state.baseTo + 1) * cell)}, as if that were ` +
			'as long. Orange: more now; blue: less; grey: equal. Widths are the sums of both.';
		if (comparison)
			part('baseline').textContent = 'Widths are the sums of both sides; what is gone is hollow. The colour is that of the ' +
				'verdict about the function itself, the stronger the larger the change is at least.';
		part('filters').hidden = !filters.length;
		part('filters').textContent = `Shown: ${filters.join('; ')}. ${weightText(nowOf(tree), event?.time ?? false)}, ` +
			`${percent(nowOf(tree), event?.weight ?? 0)} of all.`;
	}
}
