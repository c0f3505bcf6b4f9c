-- What the builds of the Lua interpreter are measured with. Other programs than those of train.lua, of the same kinds.
local rounds = tonumber(arg[1])
local seed = 7
local function below(n)
	seed = (seed * 1664525 + 1013904223) & 0xffffffff
	return (seed >> 10) % n
end

local function queens(n)
	local columns, up, down, found = {}, {}, {}, 0
	local function place(row)
		if row > n then
			found = found + 1
			return
		end
		for column = 1, n do
			if not (columns[column] or up[row + column] or down[row - column]) then
				columns[column], up[row + column], down[row - column] = true, true, true
				place(row + 1)
				columns[column], up[row + column], down[row - column] = nil, nil, nil
			end
		end
	end
	place(1)
	return found
end

local function tree(depth)
	if depth == 0 then return {} end
	return {left = tree(depth - 1), right = tree(depth - 1)}
end

local function count(node) return node.left and 1 + count(node.left) + count(node.right) or 1 end

local function settings()
	local lines, parsed = {}, {}
	for i = 1, 2000 do lines[i] = string.format("key%d = %s%d # %s", below(400), below(2) == 0 and "v" or "", below(99), "note") end
	for _, line in ipairs(lines) do
		local key, value = line:match("^(%w+)%s*=%s*(%w+)")
		if key then parsed[key] = tonumber(value) or value:upper() end
	end
	local out = {}
	for key, value in pairs(parsed) do out[#out + 1] = key .. "=" .. tostring(value) end
	table.sort(out)
	return #table.concat(out, ";")
end

local Queue = {}
Queue.__index = Queue
function Queue:push(key)
	local at = #self + 1
	self[at] = key
	while at > 1 and self[at // 2] > self[at] do
		self[at], self[at // 2] = self[at // 2], self[at]
		at = at // 2
	end
end
function Queue:pop()
	local least, size = self[1], #self
	self[1], self[size] = self[size], nil
	local at = 1
	while true do
		local child = at * 2
		if child >= size then break end
		if child + 1 < size and self[child + 1] < self[child] then child = child + 1 end
		if self[at] <= self[child] then break end
		self[at], self[child], at = self[child], self[at], child
	end
	return least
end

local function heap()
	local queue, sum = setmetatable({}, Queue), 0
	for _ = 1, 3000 do queue:push(below(100000)) end
	for i = 1, 3000 do sum = (sum * 3 + queue:pop()) % 1000003 end
	return sum
end

local function escapes(n)
	local inside = 0
	for y = 1, n do
		for x = 1, n do
			local cr, ci, zr, zi = 3.0 * x / n - 2.0, 2.0 * y / n - 1.0, 0.0, 0.0
			local step = 0
			while step < 30 and zr * zr + zi * zi < 4.0 do
				zr, zi, step = zr * zr - zi * zi + cr, 2 * zr * zi + ci, step + 1
			end
			if step == 30 then inside = inside + 1 end
		end
	end
	return inside
end

local function compose(...)
	local functions = {...}
	return function(x)
		for _, f in ipairs(functions) do x = f(x) end
		return x
	end
end

local result = 0
for round = 1, rounds do
	local f = compose(function(x) return x + round end, function(x) return x * 3 % 1009 end, math.abs)
	for i = 1, 3000 do result = (result + f(i)) % 1000003 end
	result = result + queens(6) + count(tree(11)) + settings() + heap() + escapes(50)
end
print(result)
