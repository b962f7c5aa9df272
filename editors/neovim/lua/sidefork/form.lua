--- The dialog of a fork, as the sidecar has it (docs/contract.md, "The dialog"): fields, defaults, validation and words are
--- the sidecar's. Here is what the person has chosen, and when to ask again. All of it is for a task.
local client = require('sidefork.client')
local operation = require('sidefork.operation')
local task = require('sidefork.task')

---@class sidefork.Entry
---@field value string
---@field description string

---@class sidefork.Field
---@field id string
---@field description string
---@field type { kind: string, entries?: sidefork.Entry[], source?: string, config?: table, advanced?: boolean, pending?: boolean, disabledReason?: string }
---@field required boolean
---@field default? any
---@field error? string

---@class sidefork.Form
---@field argument table
---@field fields sidefork.Field[]
---@field user table<string, any> by field, what was chosen
---@field news integer how often the sidecar has said that it knows more
local Form = {}
Form.__index = Form

local M = {}

---@type table<sidefork.Form, fun()?> those that are open, each with what it waits with
local open = {}

client.on('sidefork/changed', function(params)
  if params.what ~= 'form' then
    return
  end
  for form in pairs(open) do
    if params.workspace == nil or params.workspace == form.argument.workspace then
      form.news = form.news + 1
      if form.wake then
        form.wake()
      end
    end
  end
end)

--- Open the form of a fork. Without fields there is nothing to ask.
---@param argument table a fork's argument, and the `pid` of the terminal it is opened from
---@return sidefork.Form?
---@return sidefork.Failure?
function M.open(argument)
  local form = setmetatable({ argument = argument, fields = {}, user = {}, news = 0 }, Form)
  open[form] = true
  local _, failure = form:resolve()
  if failure then
    form:close()
    return nil, failure
  end
  return form
end

function Form:close()
  open[self] = nil
end

--- Ask for the fields. Those that are there stay where the answer has none.
---@param more? table
---@return boolean complete
---@return sidefork.Failure?
function Form:resolve(more)
  local params = vim.tbl_extend('force', { command = 'sidefork.fork', arguments = { self.argument } }, more or {})
  local failure, answer = task.await(function(answered)
    client.ask('command/resolve', params, answered)
  end)
  if failure then
    return false, operation.only_read(failure)
  end
  if not answer or not answer.formFields or #answer.formFields == 0 then
    return true
  end
  self.fields = answer.formFields
  return false
end

--- Ask for the fields as they are with what is drawn.
---@return sidefork.Failure?
function Form:redraw()
  local _, failure = self:resolve({ formAnswers = self:answers(), draft = true })
  return failure
end

---@param id string
---@return sidefork.Field?
function Form:field(id)
  for _, field in ipairs(self.fields) do
    if field.id == id then
      return field
    end
  end
end

--- Wait until a field, or each of them, is known; no longer than so many milliseconds.
---@param id string?
---@param most integer?
---@return sidefork.Failure?
function Form:settle(id, most)
  local late = false
  local function pending()
    for _, field in ipairs(self.fields) do
      if field.type.pending and (id == nil or field.id == id) then
        return true
      end
    end
  end
  local timer = most
    and vim.defer_fn(function()
      late = true
      if self.wake then
        self.wake()
      end
    end, most)
  local seen, failure = 0, nil
  while pending() and not late and not failure do
    if self.news == seen then
      failure = task.await(function(go_on)
        self.wake = go_on
        -- A sidecar that ends says nothing more: the next question finds out.
        self.gone = go_on
      end)
      self.wake, self.gone = nil, nil
    end
    seen = self.news
    failure = self:redraw()
  end
  if timer and not timer:is_closing() then
    timer:stop()
    timer:close()
  end
  return failure
end

client.on('exit', function()
  for form in pairs(open) do
    if form.gone then
      form.gone()
    end
  end
end)

--- What a field is drawn with: what was chosen as long as it can be, else its default.
---@param field sidefork.Field
---@return any
function Form:value(field)
  local chosen = self.user[field.id]
  if chosen == nil or field.type.disabledReason then
    return field.default
  end
  if field.type.kind == 'enum' then
    for _, entry in ipairs(field.type.entries or {}) do
      if entry.value == chosen then
        return chosen
      end
    end
    return field.default
  end
  return chosen
end

---@return { id: string, value: any }[]
function Form:answers()
  local list = {}
  for _, field in ipairs(self.fields) do
    local value = self:value(field)
    list[#list + 1] = { id = field.id, value = value == nil and vim.NIL or value }
  end
  return list
end

--- The person's choice.
---@param field sidefork.Field
---@param value any
---@return sidefork.Failure?
function Form:choose(field, value)
  self.user[field.id] = value
  return self:redraw()
end

--- The entries of a long list, for what was typed.
---@param field sidefork.Field
---@param query string
---@return sidefork.Entry[]
---@return sidefork.Failure?
function Form:entries(field, query)
  local failure, list = task.await(function(answered)
    local params = { source = field.type.source, config = field.type.config, query = query }
    client.ask('interactive/listEnum', params, answered)
  end)
  return list or {}, operation.only_read(failure)
end

return M
