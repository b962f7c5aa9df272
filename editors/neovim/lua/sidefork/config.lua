--- What the user has set: `vim.g.sidefork`, or require('sidefork').setup(). Nothing has to be.
local M = {}

---@class sidefork.Config
---@field cmd string[] the sidecar's command; `{ 'ssh', 'box', 'sidefork', 'serve' }` for one on another machine
---@field settings table settings of the sidecar (docs/settings.md), such as `{ setup = { policy = 'ask' } }`
---@field workspace? string|fun(buf: integer): string? the folder to fork where the buffer does not say it, or on another machine
---@field ask string[] the fields that are asked for before the summary
---@field open 'tab'|'nvim'|'stay'|fun(child: sidefork.Child) where a child opens
---@field launch 'client'|'tmux' the agent runs in a terminal buffer, or in sidefork's tmux, which the buffer shows
---@field terminal? string[]|fun(argv: string[], cwd: string) what starts a program in a new window of the terminal emulator
---@field compare 'auto'|'diffview'|'neogit'|'quickfix' what shows a comparison
---@field menu boolean an entry in the right-click menu
---@field echo boolean stages are echoed, too; for those whose LspProgress is shown by a plugin: false
---@field cancel_key string|false the key of normal mode that cancels while something runs, unless it is mapped
local defaults = {
  cmd = { 'sidefork', 'serve' },
  settings = {},
  workspace = nil,
  ask = { 'session', 'name' },
  open = 'tab',
  launch = 'client',
  terminal = nil,
  compare = 'auto',
  menu = true,
  echo = true,
  cancel_key = '<C-c>',
}

---@param list any
local function strings(list)
  if type(list) ~= 'table' or not vim.islist(list) then
    return false
  end
  for _, one in ipairs(list) do
    if type(one) ~= 'string' then
      return false
    end
  end
  return true
end

---@param ... any
local function one_of(...)
  local allowed = { ... }
  return function(value)
    return vim.list_contains(allowed, value)
  end
end

---@param value any
local function callable(value)
  return type(value) == 'function'
end

---@param kind string
local function is(kind)
  return function(value)
    return type(value) == kind
  end
end

-- By name: what a value has to be, in words and as a test.
M.checks = {
  cmd = {
    'a list of words with a program first',
    function(v)
      return strings(v) and #v > 0
    end,
  },
  settings = { 'a table', is('table') },
  workspace = {
    'a path or a function',
    function(v)
      return type(v) == 'string' or callable(v)
    end,
  },
  ask = { 'a list of names of fields', strings },
  open = {
    "'tab', 'nvim', 'stay' or a function",
    function(v)
      return callable(v) or one_of('tab', 'nvim', 'stay')(v)
    end,
  },
  launch = { "'client' or 'tmux'", one_of('client', 'tmux') },
  terminal = {
    'a list of words or a function',
    function(v)
      return strings(v) or callable(v)
    end,
  },
  compare = { "'auto', 'diffview', 'neogit' or 'quickfix'", one_of('auto', 'diffview', 'neogit', 'quickfix') },
  menu = { 'true or false', is('boolean') },
  echo = { 'true or false', is('boolean') },
  cancel_key = {
    'a key or false',
    function(v)
      return v == false or type(v) == 'string'
    end,
  },
}

---@type table<string, any>
local given = {}

--- Set options over those of vim.g.sidefork. Each call replaces what the one before has set.
---@param options? table
function M.set(options)
  given = options or {}
end

--- What holds, and what of the user's is wrong: it does not hold, and is named.
---@return sidefork.Config config
---@return string[] problems
function M.read()
  local config, problems = vim.deepcopy(defaults), {}
  for from, options in pairs({ ['vim.g.sidefork'] = vim.g.sidefork or {}, ['setup()'] = given }) do
    if type(options) ~= 'table' then
      problems[#problems + 1] = from .. ' is no table.'
      options = {}
    end
    for name, value in pairs(options) do
      local check = M.checks[name]
      if not check then
        problems[#problems + 1] = ('%s: there is no option %s.'):format(from, tostring(name))
      elseif not check[2](value) then
        problems[#problems + 1] = ('%s: %s has to be %s.'):format(from, name, check[1])
      elseif from == 'setup()' or given[name] == nil then
        config[name] = value
      end
    end
  end
  table.sort(problems)
  return config, problems
end

local told = ''

--- What holds. What is wrong is told once.
---@return sidefork.Config
function M.get()
  local config, problems = M.read()
  local all = table.concat(problems, '\n')
  if all ~= told then
    told = all
    if all ~= '' then
      vim.notify('sidefork: ' .. all, vim.log.levels.WARN)
    end
  end
  return config
end

return M
