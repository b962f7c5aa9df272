local W = require('world')
local T = W.set()

T['a sidecar that is killed in the middle of a fork: it may be partially applied, until the next one has looked'] = function()
  local w = W.new('setup')
  W.run({ 'mkfifo', w.top .. '/gate' })
  local child = W.neovim(w)
  W.answer(
    child,
    { ['sidefork.summary'] = { 'Run the setup', 'Fork' }, ['sidefork.setup'] = 'Run it', ['Name of'] = 'try' }
  )
  child.lua("fin = nil; require('sidefork').fork({ done = function(failure, result) fin = failure or result end })")
  W.wait(child, "vim.uv.fs_stat(vim.env.GATE .. '.entered')")
  child.lua([[
    for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do vim.uv.kill(pid, 'sigkill') end]])
  W.wait(child, 'fin')
  local told = W.told(child)
  W.has(told, 'The sidecar has ended by signal 9 before it answered.')
  W.has(told, 'It may be partially applied. The sidecar is asked what became of it.')
  W.run({ 'sh', '-c', 'echo open 1<>"$0"', w.top .. '/gate' }) -- the setup outlives its sidecar
  W.eq(child.lua_get('fin.effect'), 'rolledBack')
  W.has(W.told(child), 'What was begun has been taken back completely.')
  W.eq(W.worktrees(w), {})
end

T['a sidecar that is killed while nothing runs is started again'] = function()
  local w = W.new()
  local child = W.neovim(w)
  child.lua(
    "first = nil; require('sidefork').ask('sidefork.workspaces', { folders = { ... } }, function(_, r) first = r end)",
    { w.repo }
  )
  W.wait(child, 'first')
  child.lua([[
    gone = false
    require('sidefork.client').on('exit', function() gone = true end)
    for _, pid in ipairs(vim.api.nvim_get_proc_children(vim.fn.getpid())) do vim.uv.kill(pid, 'sigkill') end]])
  W.wait(child, 'gone')
  W.fork(child)
  W.eq(child.lua_get('ended'), 'SideforkForked')
end

-- What the next sidecar answers, from a sidecar that says what it is told to.
for state, want in pairs({
  completed = 'Forked into try',
  rolledBack = 'What was begun has been taken back completely.',
  failed = 'It could not be taken back: what is named here stands.',
  unknownOperation = 'It may be partially applied.',
}) do
  T['the outcome ' .. state] = function()
    local w = W.new()
    local workspace =
      { path = w.repo, branch = 'try', name = 'app', depth = 0, agentsLive = 0, fork = { allowed = true } }
    local child = W.neovim(w, {
      cmd = W.sidecar(w, {
        ['sidefork.fork'] = 'die',
        ['sidefork.outcome'] = {
          state = state,
          result = state == 'completed' and { status = 'completed', workspace = workspace, warnings = {} } or nil,
          stands = state == 'failed' and { workspace = w.repo .. '-stands' } or nil,
        },
      }),
    })
    child.lua(
      "fin = nil; require('sidefork').fork({ argument = { name = 'try' }, done = function(failure, result) fin = failure or result end })"
    )
    W.wait(child, 'fin')
    W.has(W.told(child), 'It may be partially applied. The sidecar is asked')
    W.has(child.lua_get('told[#told]'), want)
    if state == 'failed' then
      W.has(child.lua_get('told[#told]'), w.repo .. '-stands')
    end
  end
end

T['an answer that does not know is asked about, too; and what only reads has written nothing'] = function()
  local w = W.new()
  local unknown = { error = { effect = 'unknown', reason = { code = 'noProgress', message = 'It made no progress.' } } }
  local child = W.neovim(w, {
    cmd = W.sidecar(
      w,
      { ['sidefork.fork'] = unknown, ['sidefork.outcome'] = { state = 'rolledBack' }, ['sidefork.workspaces'] = 'die' }
    ),
  })
  child.lua(
    "fin = nil; require('sidefork').fork({ argument = { name = 'try' }, done = function(failure, result) fin = failure or result end })"
  )
  W.wait(child, 'fin')
  W.eq(child.lua_get('fin.effect'), 'rolledBack')
  child.lua('told = {}')
  child.cmd('Sidefork workspaces')
  W.wait(child, "vim.iter(told):any(function(t) return t:find('Nothing was written.') end)")
end

T['an outcome that cannot be asked for leaves it unknown'] = function()
  local w = W.new()
  local child = W.neovim(w, { cmd = W.sidecar(w, { ['sidefork.fork'] = 'die', ['sidefork.outcome'] = 'die' }) })
  child.lua(
    "fin = nil; require('sidefork').fork({ argument = { name = 'try' }, done = function(failure, result) fin = failure or result end })"
  )
  W.wait(child, 'fin')
  W.eq(child.lua_get('fin.effect'), 'unknown')
  W.has(W.told(child), 'What became of it could not be asked: The sidecar has ended')
end

return T
