// The lanes of time: which threads, processes or processors have one, and their weight in each column.
import { firstOfCell } from './model.js';

const LANE = 14;
const SPAN = 6; /* what shows spans in a lane, where there are some */
const MOST_LANES = 12;
const MOST_CPU_LANES = 16; /* more processors share lanes, those with neighbouring numbers */
const MOST_COLUMNS = 1000;

/** @param {import('./data.js').Facts['threads']} threads @returns {number[][]} by thread: those of its process */
function processesOf(threads) {
	/** @type {Map<number, number[]>} */
	const all = new Map();
	return threads.map(({ pid }, i) => {
		const process = all.get(pid) ?? [];
		all.set(pid, process);
		process.push(i);
		return process;
	});
}

export class Lanes {
	/** @param {import('./data.js').Recording} recording */
	constructor(recording) {
		this.recording = recording;
		this.waits = recording.facts.events.findIndex((e) => e.waits && e.nr);
		this.from = 0;
		this.to = 0;
		this.columns = 1;
		this.byProcess = false;
		/** Threads, the busiest first; of a process its first thread; or processors, of a group the first. @type {number[]} */
		this.ids = [];
		/** By thread: the threads of its process. @type {number[][]} */
		this.siblings = processesOf(recording.facts.threads);
		/** Of so many processors is a lane. */
		this.group = 1;
		/** The first and the last processor of the group that is shown alone. @type {number[] | undefined} */
		this.opened = undefined;
		this.laneHeight = LANE;
		/** Part of it. */
		this.spanHeight = 0;
		/** By lane and column: weight, and the part of the time that was waited. @type {Float64Array[]} */
		this.heat = [];
		/** @type {Float64Array[]} */
		this.waited = [];
	}

	/** @param {number} lane a thread @returns {number[]} those that the lane shows, itself or its process */
	threadsOf(lane) {
		return this.byProcess ? this.siblings[lane] : [lane];
	}

	/** Add up the weights by thread or process, and column. @param {number} event */
	sum(event) {
		const { facts, cells } = this.recording;
		const nrEvents = facts.events.length;
		this.spanHeight = this.recording.spans.length ? SPAN : 0;
		this.laneHeight = LANE + this.spanHeight;
		const byLane = new Float64Array(facts.threads.length);
		const laneOfThread = facts.threads.map((_, t) => this.threadsOf(t)[0]);
		const [start, end] = [firstOfCell(cells.cell, this.from), firstOfCell(cells.cell, this.to + 1)];
		for (let i = start; i < end; i++)
			if (cells.lane[i] % nrEvents === event)
				byLane[laneOfThread[Math.floor(cells.lane[i] / nrEvents)]] += cells.weight[i];
		this.ids = Array.from(byLane.keys()).filter((t) => byLane[t])
			.sort((a, b) => byLane[b] - byLane[a] || a - b).slice(0, MOST_LANES);
		this.columns = Math.min(this.to - this.from + 1, MOST_COLUMNS);
		const laneOf = new Map(this.ids.map((t, i) => [t, i]));
		this.heat = this.ids.map(() => new Float64Array(this.columns));
		this.waited = this.ids.map(() => new Float64Array(this.columns));
		for (let i = start; i < end; i++) {
			const of = cells.lane[i] % nrEvents;
			if (of !== event && of !== this.waits)
				continue;
			const lane = laneOf.get(laneOfThread[Math.floor(cells.lane[i] / nrEvents)]);
			if (lane === undefined)
				continue;
			if (of === event)
				this.heat[lane][this.columnOf(cells.cell[i])] += cells.weight[i];
			if (of === this.waits)
				this.addWait(this.waited[lane], cells.cell[i], cells.weight[i], 1 / this.threadsOf(this.ids[lane]).length);
		}
	}

	/**
	 * Visit what processors did from this.from to this.to.
	 * @param {number} event
	 * @param {(cpu: number, first: number, last: number, weight: number) => void} visit cells, with a fraction
	 */
	visitCpus(event, visit) {
		const { facts, cpus } = this.recording;
		const nrEvents = facts.events.length;
		const size = facts.cpu_cell / facts.cell;
		cpus.cell.forEach((cell, i) => {
			if (cpus.lane[i] % nrEvents === event && (cell + 1) * size > this.from && cell * size <= this.to)
				visit(Math.floor(cpus.lane[i] / nrEvents), cell * size, (cell + 1) * size, cpus.weight[i]);
		});
	}

	/** Show the processors of a group alone, or all again. @param {number} first */
	toggleGroup(first) {
		this.opened = this.group > 1 ? [first, first + this.group - 1] : undefined;
	}

	/** @param {number} cpu @returns {number} the first one of its group */
	groupOf(cpu) {
		return cpu - (cpu % this.group);
	}

	/** @param {number} event */
	sumCpus(event) {
		const known = new Set();
		const [least, greatest] = this.opened ?? [0, Infinity];
		this.visitCpus(event, (cpu) => cpu >= least && cpu <= greatest && known.add(cpu));
		for (this.group = 1; ; this.group *= 2) {
			this.ids = [...new Set([...known].map((cpu) => this.groupOf(cpu)))].sort((a, b) => a - b);
			if (this.ids.length <= MOST_CPU_LANES)
				break;
		}
		this.spanHeight = 0;
		this.laneHeight = LANE;
		this.columns = Math.min(this.to - this.from + 1, MOST_COLUMNS);
		const laneOf = new Map(this.ids.map((cpu, i) => [cpu, i]));
		const heat = this.ids.map(() => new Float64Array(this.columns));
		this.visitCpus(event, (cpu, first, last, weight) => {
			const [a, b] = [Math.max(0, this.columnOf(first)), Math.min(this.columns - 1, Math.max(this.columnOf(first), Math.ceil(this.columnOf(last)) - 1))];
			const row = heat[laneOf.get(this.groupOf(cpu)) ?? -1]; /* not there: it is not shown */
			for (let k = a; row && k <= b; k++)
				row[k] += weight / (b - a + 1);
		});
		this.heat = heat;
		this.waited = this.ids.map(() => new Float64Array());
	}

	/** @param {number} event @param {number} from @param {number} to cells @param {number} cpu the first one of a lane @returns {number} */
	cpuWeight(event, from, to, cpu) {
		let sum = 0;
		this.visitCpus(event, (of, first, last, weight) => {
			if (this.groupOf(of) === cpu && first <= to && last > from)
				sum += weight;
		});
		return sum;
	}

	/** @param {number} cell @returns {number} */
	columnOf(cell) {
		return Math.floor(((cell - this.from) / (this.to - this.from + 1)) * this.columns);
	}

	/**
	 * A wait is known when it ends: it fills the columns before.
	 * @param {Float64Array} row
	 * @param {number} cell
	 * @param {number} ns
	 * @param {number} part of the lane that one thread is
	 */
	addWait(row, cell, ns, part) {
		const column = ((this.to - this.from + 1) * this.recording.facts.cell) / this.columns;
		let left = ns / column;
		for (let k = this.columnOf(cell); k >= 0 && left > 0; k--) {
			row[k] = Math.min(1, row[k] + Math.min(1, left) * part);
			left--;
		}
	}
}
