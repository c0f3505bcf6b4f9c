// Time: a lane for each thread, process or processor, or the heat map; dragging selects a span that all views follow, or a baseline.
import { showTip } from './dom.js';
import { HeatMap } from './heat.js';
import { Lanes } from './lanes.js';
import { eventsOf } from './model.js';
import { cellsOf } from './select.js';
import { count, duration, shown, weightText } from './text.js';
import { styleColor } from './theme.js';

const WAIT = 3; /* height of what shows waits and losses in a lane */
const WAIT_FRAMES = 12; /* of a wait's stack, in the tip */
const LEFT = 130; /* room for names */
const NAME_FONT = '11px system-ui, sans-serif';

export class TimeView {
	/**
	 * @param {import('./data.js').Recording} recording
	 * @param {{select: (from: number, to: number, isBase: boolean) => void,
	 *	thread: (thread: number) => void, hottest: (from: number, to: number, lanes: number[]) => string,
	 *	wait: (from: number, to: number, lane: number) => string[], span: (span: import('./data.js').Span) => void}} calls to -1: all; thread -1: all; wait: names, innermost first
	 */
	constructor(recording, calls) {
		this.recording = recording;
		this.calls = calls;
		this.canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('time'));
		this.tip = /** @type {HTMLElement} */ (document.getElementById('tip'));
		this.map = new HeatMap(recording);
		this.lanes = new Lanes(recording);
		this.waits = this.lanes.waits;
		this.dragFrom = -1;
		/** The thread or group of processors on whose name the button went down. */
		this.named = -1;
		/** The spans that are drawn, and where; the slowest first. @type {{x: number, y: number, width: number, span: import('./data.js').Span}[]} */
		this.blocks = [];
		this.isBase = false;
		this.key = '';
		this.canvas.addEventListener('pointerdown', (e) => {
			this.named = this.nameAt(e);
			if (this.named >= 0)
				return;
			this.canvas.setPointerCapture(e.pointerId);
			this.dragFrom = this.cellsAt(e)[0];
			this.isBase = e.shiftKey;
		});
		this.canvas.addEventListener('pointermove', (e) => this.move(e));
		this.canvas.addEventListener('pointerup', (e) => {
			const from = this.dragFrom;
			if (this.named >= 0 && this.named === this.nameAt(e))
				this.clickName(this.named);
			this.named = -1;
			this.dragFrom = -1;
			if (from >= 0)
				this.drop(from, this.cellsAt(e), this.spanAt(e));
		});
		this.canvas.addEventListener('pointerleave', () => (this.tip.hidden = true));
	}

	/** @param {number} id of a thread, or of the first processor of a group */
	clickName(id) {
		if (!this.state?.byCpu) {
			this.calls.thread(id === this.state?.thread ? -1 : id);
			return;
		}
		this.lanes.toggleGroup(id);
		this.key = '';
		this.show(this.state);
	}

	/** @param {MouseEvent} e @returns {number} the thread or processor whose name is there and can be clicked; -1: none */
	nameAt(e) {
		if (this.state?.heat || this.state?.byProcess || e.offsetX >= LEFT - 6)
			return -1;
		if (this.state?.byCpu && this.lanes.group === 1 && !this.lanes.opened)
			return -1;
		return this.lanes.ids[Math.floor(e.offsetY / this.lanes.laneHeight)] ?? -1;
	}

	/** @param {MouseEvent} e @returns {import('./data.js').Span | undefined} the slowest span there */
	spanAt(e) {
		return this.blocks.find(({ x, y, width }) => e.offsetX >= x - 1 && e.offsetX <= x + width + 1 &&
			e.offsetY >= y - 1 && e.offsetY <= y + this.lanes.spanHeight)?.span;
	}

	/** @param {number} from @param {[number, number]} to @param {import('./data.js').Span | undefined} span */
	drop(from, [first, last], span) {
		if (from === first && span)
			this.calls.span(span);
		else if (from === first)
			this.calls.select(0, -1, this.isBase);
		else
			this.calls.select(Math.min(from, first), Math.max(from, last), this.isBase);
	}

	/** @param {PointerEvent} e @returns {[number, number]} the first and the last cell there */
	cellsAt(e) {
		const at = this.canvas.getBoundingClientRect();
		if (this.state?.heat)
			return this.map.cellsAt(e.clientX - at.left - LEFT, e.clientY - at.top);
		const nr = this.lanes.to - this.lanes.from + 1;
		const part = (e.clientX - at.left - LEFT) / (at.width - LEFT);
		const column = Math.max(0, Math.min(this.lanes.columns - 1, Math.floor(part * this.lanes.columns)));
		const first = this.lanes.from + Math.ceil((column / this.lanes.columns) * nr);
		return [first, Math.max(first, this.lanes.from + Math.ceil(((column + 1) / this.lanes.columns) * nr) - 1)];
	}

	/** @param {PointerEvent} e */
	move(e) {
		const [first, last] = this.cellsAt(e);
		const named = this.nameAt(e);
		const span = this.spanAt(e);
		this.canvas.style.cursor = named >= 0 || span ? 'pointer' : '';
		showTip(this.tip, span && this.dragFrom < 0 ? this.spanText(span) : named >= 0 ? this.nameText(named)
			: this.text(first, last, this.state?.heat ? undefined : this.lanes.ids[Math.floor(e.offsetY / this.lanes.laneHeight)]), e);
		if (this.dragFrom >= 0)
			this.draw({ from: Math.min(this.dragFrom, first), to: Math.max(this.dragFrom, last) });
	}

	/** @param {import('./data.js').Span} span @returns {string} */
	spanText({ kind, thread, begin, ns }) {
		return `${shown(kind.name)} took ${duration(ns)}, from ${duration(begin)} after the first sample on\n${this.threadText(thread)}\n` +
			'click to see its time';
	}

	/** @param {number} id of a thread, or of the first processor of a group @returns {string} */
	nameText(id) {
		if (this.state?.byCpu)
			return `${this.laneName(id)}\nclick to see ${this.lanes.group > 1 ? 'each of them' : 'all processors'}`;
		return `${this.threadText(id)}\nclick to see ${id === this.state?.thread ? 'all threads' : 'it only'}`;
	}

	/** @param {number} thread @returns {string} */
	threadText(thread) {
		const t = this.recording.facts.threads[thread];
		return `${shown(t.name)} (${t.tid}) of ${shown(t.process)}`;
	}

	/** @param {number} from @param {number} to @param {number | undefined} thread or processor @returns {string} what was there */
	text(from, to, thread) {
		const { facts } = this.recording;
		const lines = [`${duration(from * facts.cell)} after the first sample, ${duration((to - from + 1) * facts.cell)}`];
		const lost = facts.losses.reduce((n, [cell, nr]) => n + (cell >= from && cell <= to ? nr : 0), 0);
		if (lost)
			lines.push(`${count(lost)} lost samples were reported here`);
		if (thread === undefined)
			return lines.join('\n');
		if (this.state?.byCpu) {
			const [event] = eventsOf(facts, this.state.event);
			lines.push(`${this.laneName(thread)}: ${weightText(this.lanes.cpuWeight(event, from, to, thread), facts.events[event].time)}`);
			if (facts.cpu_cell > facts.cell)
				lines.push(`of processors, time is in steps of ${duration(facts.cpu_cell)}`);
			return lines.join('\n');
		}
		const t = facts.threads[thread];
		const of = this.lanes.threadsOf(thread);
		lines.push(this.state?.byProcess ? `${shown(t.process)} (${t.pid}), ${of.length} thread${of.length > 1 ? 's' : ''}`
			: this.threadText(thread));
		const [event] = eventsOf(facts, this.state?.event ?? -1);
		const hottest = event === this.waits ? '' : this.calls.hottest(from, to, of.map((i) => i * facts.events.length + event));
		if (hottest)
			lines.push(`${shown(facts.events[event].name)}: mostly in ${hottest}`);
		const wait = this.waits < 0 || of.length > 1 ? [] : this.calls.wait(from, to, thread * facts.events.length + this.waits);
		if (wait.length)
			lines.push('waiting in', ...wait.slice(0, WAIT_FRAMES), ...(wait.length > WAIT_FRAMES ? ['...'] : []));
		return lines.join('\n');
	}

	/** @param {import('./state.js').State} state */
	show(state) {
		const width = this.canvas.parentElement?.clientWidth ?? 0;
		const last = cellsOf(this.recording) - 1;
		const { thread, heat, byCpu, byProcess, timeFrom, timeTo } = state;
		const [event] = eventsOf(this.recording.facts, state.event); /* of waits, lanes have a row of their own */
		const key = JSON.stringify([event, thread, heat, byCpu, byProcess, timeFrom, timeTo, width]);
		this.state = state;
		this.lanes.byProcess = byProcess;
		this.width = width;
		if (this.key !== key) {
			this.tip.hidden = true;
			[this.lanes.from, this.lanes.to] = timeTo >= 0 ? [Math.min(timeFrom, last), Math.min(timeTo, last)] : [0, last];
			if (heat)
				this.map.sum({ ...state, event }, this.lanes.from, this.lanes.to, width - LEFT);
			else if (byCpu)
				this.lanes.sumCpus(event);
			else
				this.lanes.sum(event);
		}
		this.key = key;
		this.draw({});
	}

	/** @param {{from?: number, to?: number}} drag the span that is being selected */
	draw({ from = -1, to = -1 }) {
		const { state } = this;
		const width = this.width ?? 0;
		const height = state?.heat ? this.map.height : this.lanes.ids.length * this.lanes.laneHeight + 2;
		const ratio = devicePixelRatio || 1;
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		const g = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
		g.scale(ratio, ratio);
		g.font = NAME_FONT;
		g.textBaseline = 'middle';
		this.blocks = [];
		if (state?.heat)
			this.drawMap(g);
		else
			this.drawLanes(g);
		const dragged = { span: to >= 0 && !this.isBase, base: to >= 0 && this.isBase };
		const span = dragged.span ? [from, to] : [state?.from ?? 0, state?.to ?? -1];
		const base = dragged.base ? [from, to] : [state?.baseFrom ?? 0, state?.baseTo ?? -1];
		this.drawSpan(g, span[0], span[1], '--text', []);
		this.drawSpan(g, base[0], base[1], '--base', [4, 3]);
	}

	/** @param {CanvasRenderingContext2D} g */
	drawMap(g) {
		this.map.draw(g, LEFT);
		g.fillStyle = styleColor('--text');
		this.map.legend().split('\n').forEach((text, i) => g.fillText(text, 0, 8 + i * 14, LEFT - 6));
	}

	/** @param {number} id of a thread or a processor @returns {string} */
	laneName(id) {
		const t = this.recording.facts.threads[id];
		if (this.state?.byCpu)
			return this.lanes.group > 1 ? `processors ${id}-${id + this.lanes.group - 1}` : `processor ${id}`;
		return this.state?.byProcess ? `${shown(t.process).slice(0, 14)} ${t.pid}` : `${shown(t.name).slice(0, 14)} ${t.tid}`;
	}

	/** @param {CanvasRenderingContext2D} g */
	drawLanes(g) {
		const { facts } = this.recording;
		const most = Math.max(1, ...(this.lanes.heat).map((h) => h.reduce((a, b) => Math.max(a, b), 0)));
		const step = ((this.width ?? 0) - LEFT) / this.lanes.columns;
		/** @type {(row: Float64Array | undefined, color: string, y: number, height: number, most: number) => void} */
		const band = (row, color, y, height, whole) => {
			g.fillStyle = styleColor(color);
			row?.forEach((weight, k) => {
				if (!weight)
					return;
				g.globalAlpha = 0.15 + (0.85 * weight) / whole;
				g.fillRect(LEFT + k * step, y, Math.max(step, 1), height);
			});
			g.globalAlpha = 1;
		};
		const lane = this.lanes.laneHeight;
		const inner = lane - this.lanes.spanHeight;
		const hasWaits = this.waits >= 0 && this.waits !== this.state?.event && !this.state?.byCpu;
		let below = 0; /* the last name */
		this.lanes.ids.forEach((id, i) => {
			g.fillStyle = styleColor('--text');
			if (i * lane >= below) {
				g.font = `${id === this.state?.thread && !this.state.byCpu && !this.state.byProcess ? 'bold ' : ''}${NAME_FONT}`;
				g.fillText(this.laneName(id), 0, i * lane + Math.max(inner, 12) / 2, LEFT - 6);
				below = i * lane + 12;
			}
			band(this.lanes.heat[i], '--heat', i * lane, inner - (inner > 6 ? 2 : 1) - (hasWaits ? WAIT : 0), most);
			if (hasWaits)
				band(this.lanes.waited[i], '--wait', i * lane + inner - 2 - WAIT, WAIT, 1);
		});
		this.drawBlocks(g);
		g.fillStyle = styleColor('--bad');
		for (const [cell] of facts.losses)
			if (cell >= this.lanes.from && cell <= this.lanes.to)
				g.fillRect(LEFT + this.lanes.columnOf(cell) * step, 0, 2, this.lanes.ids.length * lane);
	}

	/** Draw the spans of the lanes as blocks. @param {CanvasRenderingContext2D} g */
	drawBlocks(g) {
		const { facts, spans } = this.recording;
		const { from, to, ids, laneHeight, spanHeight } = this.lanes;
		if (!spanHeight)
			return;
		const scale = ((this.width ?? 0) - LEFT) / ((to - from + 1) * facts.cell);
		const laneOf = new Map(ids.flatMap((id, i) => this.lanes.threadsOf(id).map((t) => [t, i])));
		for (const span of [...spans].reverse()) {
			const lane = laneOf.get(span.thread);
			const [begin, end] = [span.begin, span.begin + span.ns].map((ns) => LEFT + (ns - from * facts.cell) * scale);
			if (lane === undefined || end < LEFT || begin > (this.width ?? 0))
				continue;
			const x = Math.max(LEFT, begin);
			const block = { x, y: (lane + 1) * laneHeight - spanHeight, width: Math.max(2, Math.min(end, this.width ?? 0) - x), span };
			g.fillStyle = styleColor(span.ns >= span.kind.slow ? '--bad' : '--dim');
			g.fillRect(block.x, block.y, block.width, spanHeight - 2);
			this.blocks.unshift(block);
		}
	}

	/**
	 * @param {CanvasRenderingContext2D} g
	 * @param {number} from
	 * @param {number} to -1: there is none
	 * @param {string} color
	 * @param {number[]} dashes
	 */
	drawSpan(g, from, to, color, dashes) {
		if (to < 0)
			return;
		g.strokeStyle = styleColor(color);
		g.lineWidth = color === '--base' ? 2 : 1;
		g.setLineDash(dashes);
		if (this.state?.heat) {
			this.map.frame(g, LEFT, from, to);
			return;
		}
		const [width, height] = [this.width ?? 0, this.lanes.ids.length * this.lanes.laneHeight + 2];
		/** @type {(cell: number) => number} */
		const at = (cell) => LEFT + Math.max(0, Math.min(1, (cell - this.lanes.from) / (this.lanes.to - this.lanes.from + 1))) * (width - LEFT);
		const [x, end] = [at(from), at(to + 1)];
		if (!dashes.length) {
			g.fillStyle = styleColor('--back');
			g.globalAlpha = 0.6;
			g.fillRect(LEFT, 0, x - LEFT, height);
			g.fillRect(end, 0, width - end, height);
			g.globalAlpha = 1;
		}
		g.strokeRect(x + 0.5, 1, Math.max(end - x - 1, 1), height - 2);
	}
}
