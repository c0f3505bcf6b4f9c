// The heat map of the recording: columns of time, in each the time goes down in rows.
import { firstOfCell } from './model.js';
import { duration } from './text.js';
import { styleColor } from './theme.js';

const ROWS = 50;
const CELL_HEIGHT = 3;
const NARROWEST = 3;
const WIDEST = 24;

export class HeatMap {
	/** @param {import('./data.js').Recording} recording */
	constructor(recording) {
		this.recording = recording;
		this.height = ROWS * CELL_HEIGHT;
		this.rowCells = 1;
		this.from = 0;
		this.columns = 0;
		this.step = 1;
	}

	/** @returns {string} what a column and a row are */
	legend() {
		const row = this.rowCells * this.recording.facts.cell;
		return `a column: ${duration(ROWS * row)}\na row: ${duration(row)}\ntime goes down,\nthen right`;
	}

	/**
	 * Add up what is selected.
	 * @param {import('./select.js').Selection} s
	 * @param {number} from first cell
	 * @param {number} to last cell
	 * @param {number} width room for it, pixels
	 */
	sum(s, from, to, width) {
		const { facts, cells } = this.recording;
		const nrEvents = facts.events.length;
		const nr = to - from + 1;
		this.from = from;
		this.rowCells = 1;
		while (Math.ceil(nr / (ROWS * this.rowCells)) * NARROWEST > width)
			this.rowCells *= 2;
		this.columns = Math.ceil(nr / (ROWS * this.rowCells));
		this.step = Math.min(WIDEST, width / this.columns);
		this.heat = new Float64Array(this.columns * ROWS);
		const end = firstOfCell(cells.cell, to + 1);
		for (let i = firstOfCell(cells.cell, from); i < end; i++)
			if (cells.lane[i] % nrEvents === s.event && (s.thread < 0 || Math.floor(cells.lane[i] / nrEvents) === s.thread))
				this.heat[Math.floor((cells.cell[i] - from) / this.rowCells)] += cells.weight[i];
		this.most = this.heat.reduce((a, b) => Math.max(a, b), 1);
	}

	/**
	 * @param {number} x from the left of the map, pixels
	 * @param {number} y
	 * @returns {[number, number]} the first and the last cell there
	 */
	cellsAt(x, y) {
		const column = Math.max(0, Math.min(this.columns - 1, Math.floor(x / this.step)));
		const row = Math.max(0, Math.min(ROWS - 1, Math.floor(y / CELL_HEIGHT)));
		const first = this.from + (column * ROWS + row) * this.rowCells;
		return [first, first + this.rowCells - 1];
	}

	/**
	 * @param {CanvasRenderingContext2D} g
	 * @param {number} left pixels
	 */
	draw(g, left) {
		g.fillStyle = styleColor('--raised');
		g.fillRect(left, 0, this.columns * this.step, this.height);
		g.fillStyle = styleColor('--heat');
		this.heat?.forEach((weight, i) => {
			if (!weight)
				return;
			g.globalAlpha = 0.12 + (0.88 * weight) / (this.most ?? 1);
			g.fillRect(left + Math.floor(i / ROWS) * this.step, (i % ROWS) * CELL_HEIGHT, this.step - (this.step > 6 ? 1 : 0), CELL_HEIGHT);
		});
		g.globalAlpha = 1;
	}

	/**
	 * Draw a frame around the cells of a span, column by column.
	 * @param {CanvasRenderingContext2D} g
	 * @param {number} left
	 * @param {number} from
	 * @param {number} to
	 */
	frame(g, left, from, to) {
		const size = ROWS * this.rowCells;
		const last = Math.min(to, this.from + this.columns * size - 1);
		for (let cell = Math.max(from, this.from); cell <= last;) {
			const column = Math.floor((cell - this.from) / size);
			const end = Math.min(last + 1, this.from + (column + 1) * size);
			const y = Math.floor(((cell - this.from) % size) / this.rowCells) * CELL_HEIGHT;
			const height = Math.ceil((end - cell) / this.rowCells) * CELL_HEIGHT;
			g.strokeRect(left + column * this.step + 0.5, y + 0.5, Math.max(this.step - 1.5, 1), Math.max(height - 1, 1));
			cell = end;
		}
	}
}
