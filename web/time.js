// Time: a lane for each thread, as a heat map; dragging selects a span that all views follow.
import { duration, shown } from './text.js';
import { styleColor } from './theme.js';

const LANE = 14;
const MOST_LANES = 12;
const LEFT = 130; /* room for names */

export class TimeView {
	/**
	 * @param {import('./data.js').Recording} recording
	 * @param {(from: number, to: number) => void} select cells; to -1: all
	 */
	constructor(recording, select) {
		this.recording = recording;
		this.canvas = /** @type {HTMLCanvasElement} */ (document.getElementById('time'));
		this.tip = /** @type {HTMLElement} */ (document.getElementById('tip'));
		this.nrCells = Math.floor(recording.facts.duration / recording.facts.cell) + 1;
		this.dragFrom = -1;
		this.event = -1;
		/** Threads, the busiest first. @type {number[]} */
		this.lanes = [];
		this.canvas.addEventListener('pointerdown', (e) => {
			this.canvas.setPointerCapture(e.pointerId);
			this.dragFrom = this.cellAt(e);
		});
		this.canvas.addEventListener('pointermove', (e) => this.move(e));
		this.canvas.addEventListener('pointerup', (e) => {
			const to = this.cellAt(e);
			const from = this.dragFrom;
			this.dragFrom = -1;
			if (from >= 0)
				select(from === to ? 0 : Math.min(from, to), from === to ? -1 : Math.max(from, to));
		});
		this.canvas.addEventListener('pointerleave', () => (this.tip.hidden = true));
	}

	/** @param {PointerEvent} e @returns {number} */
	cellAt(e) {
		const at = this.canvas.getBoundingClientRect();
		const part = (e.clientX - at.left - LEFT) / (at.width - LEFT);
		return Math.max(0, Math.min(this.nrCells - 1, Math.floor(part * this.nrCells)));
	}

	/** @param {PointerEvent} e */
	move(e) {
		const cell = this.cellAt(e);
		const { facts } = this.recording;
		const lane = this.lanes[Math.floor(e.offsetY / LANE)];
		this.tip.hidden = false;
		this.tip.textContent = `${duration(cell * facts.cell)} after the first sample` +
			(lane === undefined ? '' : `\n${shown(facts.threads[lane].name)} (${facts.threads[lane].tid})`);
		this.tip.style.left = `${Math.min(e.clientX + 12, innerWidth - this.tip.offsetWidth - 8)}px`;
		this.tip.style.top = `${e.clientY + 16}px`;
		if (this.dragFrom >= 0)
			this.draw(Math.min(this.dragFrom, cell), Math.max(this.dragFrom, cell));
	}

	/**
	 * @param {number} event
	 * @param {number} from
	 * @param {number} to
	 */
	show(event, from, to) {
		if (this.event !== event)
			this.sum(event);
		this.event = event;
		this.draw(from, to);
	}

	/** Add up the weights by thread and column. @param {number} event */
	sum(event) {
		const { facts, cells } = this.recording;
		const nrEvents = facts.events.length;
		const byThread = new Float64Array(facts.threads.length);
		for (let i = 0; i < cells.lane.length; i++)
			if (cells.lane[i] % nrEvents === event)
				byThread[Math.floor(cells.lane[i] / nrEvents)] += cells.weight[i];
		this.lanes = Array.from(byThread.keys()).filter((t) => byThread[t])
			.sort((a, b) => byThread[b] - byThread[a] || a - b).slice(0, MOST_LANES);
		this.columns = Math.min(this.nrCells, 1000);
		const laneOf = new Map(this.lanes.map((t, i) => [t, i]));
		this.heat = this.lanes.map(() => new Float64Array(this.columns ?? 0));
		for (let i = 0; i < cells.lane.length; i++) {
			const lane = cells.lane[i] % nrEvents === event ? laneOf.get(Math.floor(cells.lane[i] / nrEvents)) : undefined;
			if (lane !== undefined)
				this.heat[lane][Math.floor((cells.cell[i] / this.nrCells) * this.columns)] += cells.weight[i];
		}
	}

	/** @param {number} from @param {number} to */
	draw(from, to) {
		const { lanes } = this;
		const width = this.canvas.parentElement?.clientWidth ?? 0;
		const height = lanes.length * LANE + 2;
		const ratio = devicePixelRatio || 1;
		this.canvas.width = Math.round(width * ratio);
		this.canvas.height = Math.round(height * ratio);
		this.canvas.style.width = `${width}px`;
		this.canvas.style.height = `${height}px`;
		const g = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext('2d'));
		g.scale(ratio, ratio);
		g.font = '11px system-ui, sans-serif';
		g.textBaseline = 'middle';
		const most = Math.max(1, ...(this.heat ?? []).map((h) => h.reduce((a, b) => Math.max(a, b), 0)));
		const step = (width - LEFT) / (this.columns ?? 1);
		lanes.forEach((thread, i) => {
			const t = this.recording.facts.threads[thread];
			g.globalAlpha = 1;
			g.fillStyle = styleColor('--text');
			g.fillText(`${shown(t.name).slice(0, 14)} ${t.tid}`, 0, i * LANE + LANE / 2, LEFT - 6);
			g.fillStyle = styleColor('--heat');
			this.heat?.[i].forEach((weight, k) => {
				if (!weight)
					return;
				g.globalAlpha = 0.15 + (0.85 * weight) / most;
				g.fillRect(LEFT + k * step, i * LANE, Math.max(step, 1), LANE - 2);
			});
		});
		g.globalAlpha = 0.6;
		g.fillStyle = styleColor('--back');
		if (to < 0)
			return;
		const x = LEFT + (from / this.nrCells) * (width - LEFT);
		const end = LEFT + ((to + 1) / this.nrCells) * (width - LEFT);
		g.fillRect(LEFT, 0, x - LEFT, height);
		g.fillRect(end, 0, width - end, height);
		g.globalAlpha = 1;
		g.strokeStyle = styleColor('--text');
		g.strokeRect(x + 0.5, 0.5, Math.max(end - x - 1, 1), height - 1);
	}
}
