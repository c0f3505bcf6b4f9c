// Start: unpack, build, and show what the state says. Every action changes the state; show() does the rest.
import { Actions } from './actions.js';
import { Bar } from './bar.js';
import { ComparedView } from './compared.js';
import { DataError, readRecording, unpack } from './data.js';
import { part } from './dom.js';
import { FunctionsView } from './functions.js';
import { GraphView } from './graphs.js';
import { describe } from './header.js';
import { focusView, keyTable, listenToKeys, showHelp } from './keys.js';
import { Hottest } from './hottest.js';
import { invert } from './tree.js';
import { selectCosts } from './select.js';
import { nowOf, Selected } from './selected.js';
import { SourceView } from './source.js';
import { describeSpans, SpansView } from './spans.js';
import { parseState } from './state.js';
import { TreeTable } from './table.js';
import { percent, shown } from './text.js';
import { TimeView } from './time.js';

class Page {
	/** @param {import('./data.js').Recording} recording */
	constructor(recording) {
		/** @type {number | undefined} */
		this.eventOfDoubts = undefined;
		const selected = (this.selected = new Selected(recording, location.hash));
		const actions = (this.actions = new Actions(selected, () => this.show()));
		const { comparison } = selected;
		this.graphs = new GraphView(selected, actions);
		this.time = new TimeView(recording, {
			select: (from, to, isBase) => actions.change(isBase ? { baseFrom: from, baseTo: to } : { from, to }),
			thread: (thread) => actions.change({ thread }),
			hottest: (from, to, lanes) => selected.stackOf(selected.model.hottest(from, to, lanes))[0] ?? '',
			wait: (from, to, lane) => selected.stackOf(selected.model.waitAt(from, to, lane)),
			span: (span) => actions.goTo(span),
		});
		this.spans = new SpansView(recording, (span) => actions.goTo(span));
		part('spans-note').textContent = describeSpans(recording);
		this.source = new SourceView(recording.sources, (source) => actions.change({ source, focus: selected.functionOf(source) }));
		this.functions = comparison ? new ComparedView(selected, comparison, actions, (func) => {
			this.graphs.reveal(func);
			part('flame-scroll').focus();
		}) : new FunctionsView(selected, actions);
		this.hottest = new Hottest(selected, (func) => actions.openFunction(func, false));
		actions.mark = () => this.hottest.mark();
		this.treeTable = new TreeTable((func) => ({ name: selected.nameOf(func), binary: shown(selected.model.funcs[func].binary) }),
			(func) => actions.choose(func));
		const tables = { 'functions-scroll': this.functions.table, 'tree-scroll': this.treeTable.table,
			'lines-scroll': this.source.lineTable, 'insns-scroll': this.source.insnTable, 'spans-scroll': this.spans.table };
		/** @type {(view: string) => void} */
		const open = (view) => this.open(view);
		const help = () => showHelp(keys);
		const keys = keyTable({ selected, actions, graphs: this.graphs, treeTable: this.treeTable, tables, help, open })
			.filter((k) => !comparison || !k.ofTime);
		this.bar = new Bar(selected, actions, { saveAs: (type) => this.graphs.saveAs(type), help, open });
		listenToKeys(keys);
		part('skip').hidden = false;
		part('skip').addEventListener('click', focusView);
		addEventListener('hashchange', () => actions.take(selected.checked(parseState(location.hash))));
		addEventListener('resize', () => this.show());
		matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.recolor());
		addEventListener('beforeprint', () => this.print(true));
		addEventListener('afterprint', () => this.print(false));
	}

	/** Show a view with what was chosen in the one before. @param {string} view */
	open(view) {
		const { state } = this.selected;
		const source = this.selected.sourceOf(state.focus);
		if (view === 'flame' && state.view !== 'flame')
			this.graphs.reveal(state.focus);
		else
			this.actions.change({ view, zoom: '', down: '', source: view === 'source' && source >= 0 ? source : state.source });
	}

	recolor() {
		this.selected.key = '';
		this.show();
	}

	/** Show all of the view, for paper, or what there is room for. @param {boolean} on */
	print(on) {
		document.documentElement.classList.toggle('printing', on);
		this.recolor();
	}

	show() {
		const { selected } = this;
		const { state } = selected;
		const tree = selected.tree();
		this.showDoubts();
		this.bar.show(tree);
		if (!selected.comparison)
			this.time.show(state);
		part('flame-view').hidden = state.view !== 'flame' && state.view !== 'callers';
		part('functions-view').hidden = state.view !== 'functions';
		part('tree-view').hidden = state.view !== 'tree';
		part('source-view').hidden = state.view !== 'source';
		part('spans-view').hidden = state.view !== 'spans';
		if (state.view === 'functions')
			this.functions.show(tree);
		else if (state.view === 'source')
			this.source.show(state.source, selectCosts(selected.model, state), selected.event?.time ?? false, part('filters').hidden);
		else if (state.view === 'spans')
			this.spans.show();
		else if (state.view === 'tree')
			this.treeTable.show(state.up ? invert(tree, -1) : tree, (w) => percent(w, nowOf(tree)), state.focus);
		else
			this.showGraphs(tree);
	}

	/** What is missing in the samples of the event that is shown. */
	showDoubts() {
		const { recording, state } = this.selected;
		if (this.eventOfDoubts === state.event)
			return;
		this.eventOfDoubts = state.event;
		const { doubts, notes } = describe(recording, state.event);
		for (const [id, texts] of /** @type {[string, string[]][]} */ ([['doubts', doubts], ['notes', notes]])) {
			part(id).textContent = texts.join(' ');
			part(id).hidden = !texts.length;
		}
	}

	/** @param {import('./tree.js').Tree} tree */
	showGraphs(tree) {
		this.hottest.show(tree); /* the graphs take the room that it leaves */
		this.graphs.show(tree);
	}
}

async function start() {
	const message = part('message');
	try {
		const recording = readRecording(await unpack(part('data').textContent));
		const { title, facts } = describe(recording);
		document.title = part('title').textContent = title;
		part('facts').textContent = facts;
		part('main').hidden = false;
		message.hidden = true; /* the views take its room */
		new Page(recording).show();
	} catch (error) {
		part('main').hidden = true;
		message.hidden = false;
		message.className = 'error';
		message.textContent = 'This page cannot show its samples: ' +
			(error instanceof DataError ? error.message : `they are damaged (${error})`) + '.';
	}
}

start();
