// The functions of a recording, the tree of its stacks, and the weight of what is selected.
import { FRAME_IDLE, FRAME_INLINED, nrPlaces } from './data.js';
import { TreeBuilder } from './tree.js';

/**
 * @typedef {import('./tree.js').Func} Func
 * @typedef {{from: number, to: number, event: number, thread: number}} Span first and last cell; event: -1: see eventsOf; thread -1: all
 */

/**
 * @param {import('./data.js').Facts} facts
 * @param {number} event -1: not chosen
 * @returns {number[]} the events whose samples are shown: not chosen, time on the CPU and waits together, else the first with samples
 */
export function eventsOf({ events }, event) {
	if (event >= 0)
		return [event];
	const both = [events.findIndex((e) => e.time && !e.waits && e.nr), events.findIndex((e) => e.waits && e.nr)];
	return both.includes(-1) ? [Math.max(0, events.findIndex((e) => e.nr))] : both;
}

/**
 * @param {Uint32Array} cells in order
 * @param {number} cell
 * @returns {number} the first entry of this cell or a later one
 */
export function firstOfCell(cells, cell) {
	let [from, to] = [0, cells.length];
	while (from < to) {
		const middle = (from + to) >> 1;
		if (cells[middle] < cell)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/** The functions of a recording, and the tree of all its stacks. */
export class Model {
	/** @param {import('./data.js').Recording} recording @param {boolean} byLine each line of a function is one */
	constructor(recording, byLine = false) {
		this.recording = recording;
		/** @type {Func[]} */
		this.funcs = [];
		const { frames, stacks } = recording;
		/* Ids of pairs of ids: a function, a function with its file, and with its line. */
		const pairs = new TreeBuilder();
		const known = new Int32Array(4 * frames.length + 1);
		const funcOf = frames.map((f) => {
			let pair = pairs.child(pairs.child(0, f.nameId), 2 * f.binaryId + (f.flags & FRAME_IDLE ? 1 : 0));
			if (byLine)
				pair = pairs.child(pairs.child(pair, f.fileId), f.line);
			known[pair] ||= this.funcs.push(f);
			if (!(f.flags & FRAME_INLINED)) /* it is both called and inlined: one function, which has code of its own */
				this.funcs[known[pair] - 1] = f;
			return known[pair] - 1;
		});
		const tree = new TreeBuilder();
		this.nodeOf = new Int32Array(stacks.parent.length);
		for (let i = 1; i < stacks.parent.length; i++)
			this.nodeOf[i] = tree.child(this.nodeOf[stacks.parent[i]], funcOf[stacks.frame[i]]);
		this.func = tree.func.slice(0, tree.nr);
		this.parent = tree.parent.slice(0, tree.nr);
		this.hasIdle = this.funcs.some((f) => f.flags & FRAME_IDLE);
	}

	/**
	 * Visit the samples of a span.
	 * @param {Span} s
	 * @param {(stack: number, weight: number, cell: number) => void} visit
	 */
	visit(s, visit) {
		const { stack, weight, lane, cell } = this.recording.cells;
		const nrEvents = this.recording.facts.events.length;
		const wanted = eventsOf(this.recording.facts, s.event);
		const end = firstOfCell(cell, s.to + 1);
		for (let i = firstOfCell(cell, s.from); i < end; i++)
			if (wanted.includes(lane[i] % nrEvents) && (s.thread < 0 || Math.floor(lane[i] / nrEvents) === s.thread))
				visit(stack[i], weight[i], cell[i]);
	}

	/**
	 * The weights of what is selected.
	 * @param {Span} s
	 * @param {(node: number) => boolean} keeps whether stacks that end in the node are shown
	 * @returns {Float64Array} by node
	 */
	weights(s, keeps) {
		const self = new Float64Array(this.func.length);
		const { nodeOf } = this;
		this.visit(s, (stack, weight) => (self[nodeOf[stack]] += weight));
		for (let i = 0; i < self.length; i++)
			if (self[i] && !keeps(i))
				self[i] = 0;
		return self;
	}

	/**
	 * What instructions cost in the samples that are selected.
	 * @param {Span} s
	 * @param {(node: number) => boolean} keeps as for weights
	 * @returns {Float64Array} by place
	 */
	costs(s, keeps) {
		const { stacks, frames, sources } = this.recording;
		const costs = new Float64Array(nrPlaces(sources));
		this.visit(s, (stack, weight) => {
			if (stack && keeps(this.nodeOf[stack]))
				costs[frames[stacks.frame[stack]].place] += weight;
		});
		return costs;
	}

	/**
	 * @param {number} from first cell
	 * @param {number} to last cell
	 * @param {number[]} lanes
	 * @returns {number} the node that the stack with most weight ends in; 0: none
	 */
	hottest(from, to, lanes) {
		const { cells } = this.recording;
		const end = firstOfCell(cells.cell, to + 1);
		/** @type {Map<number, number>} */
		const sums = new Map();
		for (let i = firstOfCell(cells.cell, from); i < end; i++)
			if (lanes.includes(cells.lane[i]))
				sums.set(cells.stack[i], (sums.get(cells.stack[i]) ?? 0) + cells.weight[i]);
		let best = 0;
		for (const [stack, sum] of sums)
			if (sum > (sums.get(best) ?? 0))
				best = stack;
		return this.nodeOf[best];
	}

	/**
	 * The longest wait that covers a part of a span. A sample of it is at its end, and its weight is its length.
	 * @param {number} from first cell
	 * @param {number} to last cell
	 * @param {number} lane
	 * @returns {number} the node that its stack ends in; 0: none
	 */
	waitAt(from, to, lane) {
		const { cells, facts } = this.recording;
		let best = -1;
		/* Waits of a thread do not overlap: only the first one that ends later may have begun before. */
		for (let i = firstOfCell(cells.cell, from), end = -1; i < cells.cell.length && (end < 0 || cells.cell[i] === end); i++) {
			if (cells.lane[i] !== lane)
				continue;
			if (cells.cell[i] > to)
				end = cells.cell[i];
			const begins = cells.cell[i] - cells.weight[i] / cells.nr[i] / facts.cell;
			if (begins <= to && (best < 0 || cells.weight[i] > cells.weight[best]))
				best = i;
		}
		return best < 0 ? 0 : this.nodeOf[cells.stack[best]];
	}
}
