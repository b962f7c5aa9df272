--- The form drawn by vim.ui.select and vim.ui.input: what is asked first (the option `ask`), then a summary in which
--- everything can be changed, until it is forked or left. All of it is for a task.
local config = require('sidefork.config')
local form_of = require('sidefork.form')
local operation = require('sidefork.operation')
local plan = require('sidefork.plan')
local task = require('sidefork.task')
local words = require('sidefork.words')

local M = {}

-- How long a summary waits for what is still being read, in milliseconds. It is drawn anew after each answer anyway.
local patience = 1500

---@param field sidefork.Field
---@return string
local function prompt_of(field)
  return words.line(field.description)
end

---@param kind string of vim.ui.select, for users' own pickers
---@param field sidefork.Field
---@param entries sidefork.Entry[]
---@return sidefork.Entry?
local function pick(kind, field, entries)
  return task.select(entries, {
    prompt = prompt_of(field),
    kind = 'sidefork.' .. kind,
    format_item = function(entry)
      return words.line(entry.description)
    end,
  })
end

--- The value at the front is the one that is drawn: a picker has no other way to prefer one.
---@param entries sidefork.Entry[]
---@param value any
---@return sidefork.Entry[]
local function preferring(entries, value)
  local list = {}
  for _, entry in ipairs(entries) do
    table.insert(list, entry.value == value and 1 or #list + 1, entry)
  end
  return list
end

--- A list is typed in one line. A comma in a pattern is written [,] there.
---@param text string
---@return string[]
local function list_of(text)
  local list = {}
  for one in (text:gsub('%[,%]', '\1') .. ','):gmatch('(.-),') do
    one = vim.trim((one:gsub('\1', ',')))
    if one ~= '' then
      list[#list + 1] = one
    end
  end
  return list
end

---@param list string[]
---@return string
local function line_of(list)
  return table.concat(
    vim.tbl_map(function(one)
      return (words.line(one):gsub(',', '[,]'))
    end, list or {}),
    ', '
  )
end

-- How each kind of field is asked: the value that was given, nil where it was left.
---@type table<string, fun(form: sidefork.Form, field: sidefork.Field): any, sidefork.Failure?>
local ask = {}

function ask.enum(form, field)
  local entry = pick(field.id, field, preferring(field.type.entries or {}, form:value(field)))
  return entry and entry.value
end

ask['bool'] = function(form, field)
  local entries = { { value = true, description = 'Yes' }, { value = false, description = 'No' } }
  local entry = pick(field.id, field, preferring(entries, form:value(field)))
  if entry then
    return entry.value
  end
end

function ask.lazyEnum(form, field)
  local query = ''
  while true do
    local entries, failure = form:entries(field, query)
    if failure then
      return nil, failure
    end
    local search =
      { description = query == '' and 'Search…' or ('Search for something else than "%s"…'):format(query) }
    local entry = pick(field.id, field, vim.list_extend(preferring(entries, form:value(field)), { search }))
    if not entry then
      return nil
    end
    if entry ~= search then
      return entry.value
    end
    query = task.input({ prompt = prompt_of(field) .. ': ', default = query })
    if not query then
      return nil
    end
  end
end

---@param field sidefork.Field
---@param default string
---@return string?
local function type_in(field, default)
  return task.input({ prompt = prompt_of(field) .. ': ', default = default })
end

function ask.string(form, field)
  return type_in(field, words.line(form:value(field)))
end

function ask.number(form, field)
  local text = type_in(field, tostring(form:value(field) or ''))
  return text and (tonumber(text) or text) -- what is no number the sidecar finds wrong
end

function ask.list(form, field)
  local text = type_in(field, line_of(form:value(field)))
  return text and list_of(text)
end

--- A field's value in the words of its entries.
---@param form sidefork.Form
---@param field sidefork.Field
---@return string
local function in_words(form, field)
  local value = form:value(field)
  for _, entry in ipairs(field.type.entries or {}) do
    if entry.value == value then
      return words.line(entry.description)
    end
  end
  if type(value) == 'table' then
    return #value == 0 and '-' or line_of(value)
  elseif type(value) == 'boolean' then
    return value and 'yes' or 'no'
  elseif value == nil or value == '' then
    return '-'
  elseif type(value) == 'number' then
    return ('%d'):format(value)
  end
  return words.line(value)
end

---@param form sidefork.Form
---@param field sidefork.Field
---@return string
local function line(form, field)
  local text = ('%s: %s'):format(prompt_of(field), in_words(form, field))
  if field.error then
    text = ('%s  !! %s'):format(text, words.line(field.error))
  elseif field.type.disabledReason then
    text = ('%s  (%s)'):format(text, words.line(field.type.disabledReason))
  elseif field.type.pending then
    text = text .. ' …'
  end
  return text
end

--- Ask for one field and go on with what was said. false: it was left.
---@param form sidefork.Form
---@param field sidefork.Field
---@return boolean answered
---@return sidefork.Failure?
local function change(form, field)
  if field.type.disabledReason then
    vim.notify('sidefork: ' .. words.line(field.type.disabledReason))
    return false
  end
  local how = ask[field.type.kind]
  if not how then
    vim.notify(('sidefork: this plugin cannot ask for "%s": it is too old.'):format(words.line(field.id)))
    return false
  end
  local value, failure = how(form, field)
  if value == nil then
    return false, failure
  end
  return true, form:choose(field, value)
end

---@param form sidefork.Form
---@param field sidefork.Field
---@param more boolean
---@return boolean
local function shown(form, field, more)
  return more or not field.type.advanced or field.error ~= nil or form.user[field.id] ~= nil
end

---@param form sidefork.Form
---@return sidefork.Failure?
local function show_plan(form)
  local failure, result = task.await(function(answered)
    operation.execute(
      'sidefork.plan',
      form.argument,
      { title = 'Plan', answers = form:answers(), reads = true },
      answered
    )
  end)
  if failure and failure.lost then
    return failure
  end
  plan.show(failure, result)
end

--- The last of it: complete, or the fields say what is wrong.
---@param form sidefork.Form
---@return boolean complete
---@return sidefork.Failure?
local function submit(form)
  local session = form:field('session')
  if session and session.type.pending and form.user.session == nil then
    return false, form:settle('session')
  end
  local complete, failure = form:resolve({ formAnswers = form:answers() })
  if not complete and not failure then
    for _, field in ipairs(form.fields) do
      if field.error then
        vim.notify(('sidefork: %s: %s'):format(prompt_of(field), words.line(field.error)), vim.log.levels.WARN)
      end
    end
  end
  return complete, failure
end

--- The summary, until it is forked or left.
---@param form sidefork.Form
---@return boolean fork
---@return sidefork.Failure?
local function summary(form)
  local more = false
  while true do
    local failure = form:settle(nil, patience)
    if failure then
      return false, failure
    end
    local items = { { text = 'Fork', act = 'fork' } }
    local hidden = false
    for _, field in ipairs(form.fields) do
      if shown(form, field, more) then
        items[#items + 1] = { text = line(form, field), field = field.id }
      else
        hidden = true
      end
    end
    if hidden then
      items[#items + 1] = { text = 'More…', act = 'more' }
    end
    items[#items + 1] = { text = 'Show what it would do', act = 'plan' }
    local item = task.select(items, {
      prompt = 'Fork Agent Session',
      kind = 'sidefork.summary',
      format_item = function(item)
        return item.text
      end,
    })
    if not item then
      return false
    end
    local complete
    if item.act == 'fork' then
      complete, failure = submit(form)
      if complete then
        return true
      end
    elseif item.act == 'more' then
      more = true
    elseif item.act == 'plan' then
      failure = show_plan(form)
    else
      local field = form:field(item.field)
      if field and field.type.kind == 'bool' and not field.type.disabledReason then
        failure = form:choose(field, not form:value(field))
      elseif field then
        _, failure = change(form, field)
      end
    end
    if failure then
      return false, failure
    end
  end
end

---@param form sidefork.Form
---@return boolean fork
---@return sidefork.Failure?
local function ask_all(form)
  if #form.fields == 0 then
    return true -- the argument says all
  end
  for _, id in ipairs(config.get().ask) do
    local failure = form:settle(id)
    if failure then
      return false, failure
    end
    local field = form:field(id)
    local only = field and field.type.kind == 'enum' and #(field.type.entries or {}) < 2
    if field and not only and not field.type.disabledReason then
      local answered
      answered, failure = change(form, field)
      if failure or not answered then
        return false, failure
      end
    end
  end
  return summary(form)
end

--- Ask for all that a fork needs.
---@param argument table
---@return table[]? answers nil: it was left, or refused; none where there was nothing to ask
---@return sidefork.Failure?
function M.run(argument)
  local form, failure = form_of.open(argument)
  if not form then
    return nil, failure
  end
  local fork
  fork, failure = ask_all(form)
  form:close()
  if not fork then
    return nil, failure
  end
  return form:answers()
end

return M
