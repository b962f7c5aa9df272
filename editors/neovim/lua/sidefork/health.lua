--- `:checkhealth sidefork`: the sidecar and its contract, git and the agents as the sidecar finds them, and the shell.
local client = require('sidefork.client')
local config = require('sidefork.config')
local host = require('sidefork.host')
local words = require('sidefork.words')

local M = {}

local wait = 10000 -- milliseconds, for a machine far away

--- What `sidefork doctor` says, here or on the other machine.
---@param cmd string[]
---@return table?
---@return string? why not
local function doctor(cmd)
  local argv = vim.list_extend(host.program(cmd), { 'doctor', '--json' })
  local ok, done = pcall(function()
    return vim.system(host.plain(host.of(cmd), argv), { timeout = wait }):wait()
  end)
  if not ok then
    return nil, words.line(tostring(done))
  end
  local decoded, report = pcall(vim.json.decode, done.stdout or '', { luanil = { object = true } })
  if decoded and type(report) == 'table' then
    return report
  end
  return nil, words.line(done.stderr ~= '' and done.stderr or ('it ended with status %d'):format(done.code))
end

local function check_options()
  local _, problems = config.read()
  for _, problem in ipairs(problems) do
    vim.health.warn(words.line(problem))
  end
  if #problems == 0 then
    vim.health.ok('The options make sense.')
  end
end

local function check_sidecar()
  local options = config.get()
  local failure, there
  client.ready(function(f)
    failure, there = f, true
  end)
  vim.wait(wait, function()
    return there
  end, 20)
  local command = words.line(table.concat(options.cmd, ' '))
  if failure then
    vim.health.error(words.line(failure.reason.message), { words.line(failure.reason.remedy) })
    return false
  elseif not there then
    vim.health.error(
      ('%s has not answered.'):format(command),
      { 'Run it in a shell: it waits for input and prints nothing.' }
    )
    return false
  end
  local known = assert(client.known())
  vim.health.ok(
    ('sidecar: %s, version %s, on %s'):format(command, words.line(known.version), words.line(known.platform))
  )
  local lacks = client.lacks()
  if lacks then
    vim.health.error(words.line(lacks.message), { words.line(lacks.remedy) })
  else
    vim.health.ok(('contract: %d; features: %s'):format(known.contract, words.line(table.concat(known.features, ' '))))
  end
  for _, feature in ipairs({
    'fork',
    'form',
    'outcome',
    'workspaces',
    'sessions',
    'locate',
    'compare',
    'remove',
    'transcripts',
  }) do
    local missing = not lacks and client.lacks(feature)
    if missing then
      vim.health.warn(words.line(missing.message), { words.line(missing.remedy) })
    end
  end
  return true
end

---@param report table
local function check_report(report)
  local git = report.git or {}
  if git.enough then
    vim.health.ok('git: ' .. words.line(git.version))
  else
    vim.health.error(('git: %s'):format(git.version and words.line(git.version) .. ' is too old' or 'not found'))
  end
  for _, agent in ipairs(report.agents or {}) do
    local what = ('%s: %d sessions'):format(words.line(agent.agent), tonumber(agent.sessions) or 0)
    if agent.version then
      what = ('%s, version %s'):format(what, words.line(agent.version))
    end
    if agent.problem then
      vim.health.warn(('%s, %s'):format(what, words.line(agent.problem)))
    else
      vim.health.ok(what)
    end
  end
end

function M.check()
  vim.health.start('sidefork')
  check_options()
  if check_sidecar() then
    local report, why = doctor(config.get().cmd)
    if report then
      check_report(report)
    else
      vim.health.warn('`sidefork doctor` says nothing: ' .. why)
    end
  end
  local shell = vim.split(vim.o.shell, ' ')[1]
  if vim.fn.executable(shell) == 1 then
    vim.health.ok('shell: ' .. words.line(vim.o.shell))
  else
    vim.health.warn(("shell: %s is no program; a repository's terminals need it"):format(words.line(vim.o.shell)))
  end
end

return M
