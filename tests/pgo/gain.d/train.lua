-- What the Lua interpreter is trained with. Other programs than those of measure.lua, of the same kinds.
local rounds = tonumber(arg[1])
local seed = 42
local function below(n)
	seed = (seed * 1103515245 + 12345) & 0x7fffffff
	return (seed >> 8) % n
end

local function primes(n)
	local is_composite, count = {}, 0
	for i = 2, n do
		if not is_composite[i] then
			count = count + 1
			for j = i * i, n, i do is_composite[j] = true end
		end
	end
	return count
end

local function fibonacci(n)
	if n < 2 then return n end
	return fibonacci(n - 1) + fibonacci(n - 2)
end

local function word_counts()
	local text, counts = {}, {}
	for i = 1, 3000 do text[i] = "w" .. below(300) .. (below(9) == 0 and ".\n" or " ") end
	for word in table.concat(text):gmatch("%a%d+") do counts[word] = (counts[word] or 0) + 1 end
	local names = {}
	for name in pairs(counts) do names[#names + 1] = name end
	table.sort(names, function(a, b) return counts[a] > counts[b] or counts[a] == counts[b] and a < b end)
	return #names
end

local Account = {}
Account.__index = Account
function Account.new(balance) return setmetatable({balance = balance, log = {}}, Account) end
function Account:pay(other, sum)
	if self.balance < sum then return false end
	self.balance, other.balance = self.balance - sum, other.balance + sum
	self.log[#self.log % 50 + 1] = sum
	return true
end

local function bank()
	local accounts, done = {}, 0
	for i = 1, 100 do accounts[i] = Account.new(below(1000)) end
	for _ = 1, 20000 do
		if accounts[below(100) + 1]:pay(accounts[below(100) + 1], below(100)) then done = done + 1 end
	end
	return done
end

local function multiply(n)
	local a, b, c = {}, {}, {}
	for i = 1, n do
		a[i], b[i], c[i] = {}, {}, {}
		for j = 1, n do a[i][j], b[i][j] = i / j, j - i * 0.5 end
	end
	for i = 1, n do
		local row, to = a[i], c[i]
		for j = 1, n do
			local sum = 0.0
			for k = 1, n do sum = sum + row[k] * b[k][j] end
			to[j] = sum
		end
	end
	return c[n][n]
end

local function generate()
	local co = coroutine.wrap(function()
		for i = 1, 5000 do coroutine.yield(i % 7) end
	end)
	local sum = 0
	for value in co do sum = sum + value end
	return sum
end

local result = 0
for _ = 1, rounds do
	result = result + primes(30000) + fibonacci(20) + word_counts() + bank() + multiply(40) % 7 + generate()
	result = result + #("x"):rep(100):gsub("x", "ab")
	result = result + select("#", string.byte(string.format("%5d %s %.3f", result // 1, "text", result / 3), 1, -1))
end
print(result)
