--- `:Sidefork SUBCOMMAND`.
local log = require('sidefork.log')

local M = {}

---@param lead string
---@return string[]
local function folders(lead)
  return vim.tbl_map(function(folder)
    return vim.fn.escape(folder, ' \\')
  end, vim.fn.getcompletion((lead:gsub('\\(.)', '%1')), 'dir'))
end

---@param ... string
---@return fun(lead: string): string[]
local function words(...)
  local list = { ... }
  return function(lead)
    return vim.tbl_filter(function(word)
      return vim.startswith(word, lead)
    end, list)
  end
end

local function nothing()
  return {}
end

---@class sidefork.Subcommand
---@field run fun(args: string[])
---@field complete fun(lead: string): string[]
---@field most integer how many arguments it takes

---@type table<string, sidefork.Subcommand>
local subcommands = {
  fork = {
    run = function(args)
      require('sidefork.fork').fork({ path = args[1] })
    end,
    complete = folders,
    most = 1,
  },
  sessions = {
    run = function(args)
      require('sidefork.sessions').pick(args[1])
    end,
    complete = words('workspace', 'repository', 'all'),
    most = 1,
  },
  workspaces = {
    run = function()
      require('sidefork.workspaces').pick()
    end,
    complete = nothing,
    most = 0,
  },
  compare = {
    run = function(args)
      require('sidefork.compare').compare({ path = args[1] })
    end,
    complete = folders,
    most = 1,
  },
  remove = {
    run = function(args)
      require('sidefork.remove').remove({ path = args[1] })
    end,
    complete = folders,
    most = 1,
  },
  log = {
    run = function()
      log.open()
    end,
    complete = nothing,
    most = 0,
  },
  cancel = {
    run = function()
      require('sidefork.operation').cancel()
    end,
    complete = nothing,
    most = 0,
  },
}

---@return string[]
local function names()
  local list = vim.tbl_keys(subcommands)
  table.sort(list)
  return list
end

---@param o { fargs: string[] }
function M.run(o)
  local args = vim.list_slice(o.fargs, 2)
  local name = o.fargs[1] or 'fork'
  local subcommand = subcommands[name]
  if not subcommand then
    log.notify(
      ('There is no :Sidefork %s. There are: %s.'):format(name, table.concat(names(), ', ')),
      vim.log.levels.ERROR
    )
  elseif #args > subcommand.most then
    log.notify(('%s is too much for :Sidefork %s.'):format(args[#args], name), vim.log.levels.ERROR)
  else
    subcommand.run(args)
  end
end

---@param lead string
---@param line string
---@param at integer
---@return string[]
function M.complete(lead, line, at)
  local before = vim.split((line:sub(1, at):gsub('\\.', '_')), '%s+')
  if #before <= 2 then
    return words(unpack(names()))(lead)
  end
  local subcommand = subcommands[before[2]]
  return subcommand and #before - 2 <= subcommand.most and subcommand.complete(lead) or {}
end

return M
