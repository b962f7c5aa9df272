--- What a fork would do, as text.
local log = require('sidefork.log')
local words = require('sidefork.words')

local M = {}

--- An argv as a person reads it.
---@param argv string[]
---@return string
local function command(argv)
  return words.line(table.concat(
    vim.tbl_map(function(word)
      return word:match('^[%w@%%+:,./=_-]+$') and word or vim.fn.shellescape(word)
    end, argv),
    ' '
  ))
end

---@param plan table
---@return string[]
function M.lines(plan)
  local lines = {}
  local function add(text)
    lines[#lines + 1] = words.line(text)
  end
  local function part(title, list, each)
    if list and #list > 0 then
      add(title)
      for _, one in ipairs(list) do
        add('  ' .. each(one))
        lines[#lines] = '  ' .. lines[#lines]
      end
    end
  end
  part('It would be refused:', plan.refusals, words.reason)
  if plan.name then
    add(('Branch: %s'):format(plan.name))
  end
  if plan.dir then
    add(('Folder: %s'):format(plan.dir))
  end
  if plan.session then
    add(('Session: %s %s'):format(plan.session.agent, plan.session.title or plan.session.id))
  end
  if plan.forecast then
    add(('It sends %d tokens again.'):format(plan.forecast.tokens))
  end
  part('Files that come:', plan.files, function(file)
    return ('%s %s'):format(file.change, file.path)
  end)
  part('Files that stay:', plan.left, function(left)
    return ('%s %s'):format(left.reason, left.path)
  end)
  if plan.setup then
    part(('Setup (%s):'):format(plan.setup.source), plan.setup.commands, words.line)
  end
  part('Commands:', plan.commands, command)
  part('To know:', plan.warnings, words.reason)
  return lines
end

--- Show a plan, or why there is none.
---@param failure sidefork.Failure?
---@param plan table?
function M.show(failure, plan)
  if failure then
    log.notify('There is no plan: ' .. words.reason(failure.reason), vim.log.levels.WARN)
  elseif plan and plan.files then
    log.show('plan', M.lines(plan))
    vim.cmd.redraw()
  end
end

M.command = command

return M
