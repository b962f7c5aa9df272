package dialog

import (
	"context"
	"errors"
	"io"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/sidefork/sidefork/commands"
)

// Terminal is where a form is drawn.
type Terminal struct {
	In          io.Reader
	Out         io.Writer
	Environment []string // NO_COLOR, TERM and the like: what it can show
	Columns     int      // where Out is no terminal that says it itself; 0: it is one
	Rows        int
}

// Run draws the form on the whole screen until the person forks or leaves, and leaves the screen as it was. forks: all is
// answered as it can be, and d holds the answers; else it was left, or failed says why there is no form any more. news
// says that there is more to know.
func Run(ctx context.Context, d *Form, ask Asker, news <-chan struct{}, to Terminal) (forks bool, failed *commands.Failure, err error) {
	s := &screen{form: d, ask: ask, news: news, ctx: ctx, at: "name", width: 80, height: 24}
	s.focus("name")
	options := []tea.ProgramOption{
		tea.WithContext(ctx), tea.WithInput(to.In), tea.WithOutput(to.Out), tea.WithEnvironment(to.Environment), tea.WithoutSignalHandler(),
	}
	if to.Columns > 0 {
		options = append(options, tea.WithWindowSize(to.Columns, to.Rows))
	}
	_, err = tea.NewProgram(s, options...).Run()
	if ctx.Err() != nil && errors.Is(err, tea.ErrProgramKilled) {
		return false, nil, nil
	}
	return s.forks, s.failed, err
}

// screen is a form on the whole screen, as a Bubble Tea model. Only its own methods change it, one message at a time.
type screen struct {
	form *Form
	ask  Asker
	news <-chan struct{}
	ctx  context.Context // of its one Run

	width, height int
	at            string  // the row that has the keyboard: a field's id, or a button
	typed         input   // the text of that row, where it has one
	unsaid        bool    // it has changed since the fields were resolved
	open          *choice // the list that is open
	page          []string
	top           int    // of the page, or of the form: the first line that is shown
	wheeled       bool   // the wheel has moved it, and no key since
	note          string // what a person has to know and no field says

	asking bool // a resolve is on its way
	again  bool // and what was answered since is to follow
	newer  bool // and more is known since
	ending bool // the fork was asked for: the one that follows is no draft

	early  bool // the fork was asked for before the sessions were known
	forks  bool
	failed *commands.Failure
}

// The rows that are no fields.
const (
	moreRow  = "row more"
	forkRow  = "row fork"
	planRow  = "row plan"
	leaveRow = "row leave"
)

type resolved struct {
	fields []commands.FormField
	draft  bool
	failed *commands.Failure
}

type planned struct {
	text   string
	failed *commands.Failure
}

type heard struct{}

func (s *screen) Init() tea.Cmd { return s.listen() }

// listen waits for the next piece of news.
func (s *screen) listen() tea.Cmd {
	return func() tea.Msg {
		select {
		case <-s.news:
			return heard{}
		case <-s.ctx.Done():
			return nil
		}
	}
}

func (s *screen) Update(message tea.Msg) (tea.Model, tea.Cmd) {
	var next tea.Cmd
	switch m := message.(type) {
	case tea.WindowSizeMsg:
		s.width, s.height = m.Width, m.Height
	case heard:
		next = s.listen()
		if s.asking {
			s.newer = true
		} else {
			next = tea.Batch(next, s.resolve(false))
		}
	case resolved:
		next = s.taken(m)
	case listed:
		next = s.found(m)
	case planned:
		s.note = ""
		if m.failed != nil {
			s.note = s.form.say("There is no plan yet: %s", m.failed.In(s.form.in).Reason.Message)
		} else {
			s.page, s.top = lines(m.text), 0
		}
	case tea.PasteMsg:
		next = s.paste(m.Content)
	case tea.KeyPressMsg:
		s.wheeled = false
		next = s.press(m)
	case tea.MouseWheelMsg:
		s.wheel(m.Button)
	case tea.MouseClickMsg:
		if m.Button == tea.MouseLeft {
			next = s.click(m.Y)
		}
	}
	return s, next
}

// resolve has the fields brought up to date with the answers. ends: the person wants to fork.
func (s *screen) resolve(ends bool) tea.Cmd {
	s.ending = s.ending || ends
	if s.asking {
		s.again = true
		return nil
	}
	s.asking, s.unsaid = true, false
	ctx, ask, answers, draft := s.ctx, s.ask.Resolve, s.form.Answers(), !s.ending
	s.ending = false
	return func() tea.Msg {
		fields, failed := ask(ctx, answers, draft)
		return resolved{fields, draft, failed}
	}
}

// taken takes in the fields that a resolve brought.
func (s *screen) taken(m resolved) tea.Cmd {
	s.asking = false
	switch {
	case m.failed != nil:
		s.failed = m.failed
		return tea.Quit
	case !m.draft && len(m.fields) == 0 && (s.again || s.unsaid):
		s.note = "Something was changed meanwhile: Ctrl+S forks."
	case !m.draft && len(m.fields) == 0 && s.newer: // it holds for what was known then
		s.newer = false
		return s.resolve(true)
	case !m.draft && len(m.fields) == 0:
		s.forks = true
		return tea.Quit
	case len(m.fields) > 0:
		s.form.Take(m.fields)
	}
	if !m.draft && len(m.fields) > 0 {
		s.note = ""
		if i := slices.IndexFunc(m.fields, func(f commands.FormField) bool { return f.Error != "" }); i >= 0 {
			s.focus(m.fields[i].ID)
		}
	}
	if s.early && !s.form.Early() {
		s.early, s.note = false, s.form.say("The sessions are known now: Ctrl+S forks.")
	}
	if f, there := s.form.Field(s.at); there && kindOf(f) == "text" {
		s.refresh(f)
	} else if !slices.Contains(s.rows(), s.at) {
		s.focus(forkRow)
	}
	if s.again || s.newer {
		s.again, s.newer = false, false
		return s.resolve(false)
	}
	return nil
}

// rows are all that can have the keyboard, from top to bottom.
func (s *screen) rows() (rows []string) {
	for _, f := range s.form.Shown() {
		rows = append(rows, f.ID)
	}
	return append(rows, moreRow, forkRow, planRow, leaveRow)
}

// kindOf says how a field is answered: by a toggle, a list or a text.
func kindOf(f commands.FormField) string {
	switch f.Type.Kind {
	case "bool":
		return "toggle"
	case "enum", "lazyEnum":
		return "list"
	}
	return "text"
}

// focus gives a row the keyboard.
func (s *screen) focus(row string) {
	s.at, s.open = row, nil
	if f, there := s.form.Field(row); there && kindOf(f) == "text" {
		s.typed = input{}
		s.refresh(f)
	}
}

// refresh shows the text of a field as it is now, where nobody has typed into it since.
func (s *screen) refresh(f commands.FormField) {
	text := ""
	switch v := s.form.Value(f).(type) {
	case string:
		text = v
	case int:
		text = strconv.Itoa(v)
	case []string:
		return // its text is the one that is added next
	}
	if s.typed.String() != text {
		s.typed = typing(text)
	}
	s.typed.digits, s.typed.lines = f.Type.Kind == "number", f.Type.Multiline
}

// move gives the keyboard to another row; what was typed in this one is looked at.
func (s *screen) move(by int) tea.Cmd {
	rows := s.rows()
	to := slices.Index(rows, s.at) + by
	return s.goTo(rows[min(max(to, 0), len(rows)-1)])
}

func (s *screen) goTo(row string) tea.Cmd {
	if row == s.at {
		return nil
	}
	s.add()
	s.focus(row)
	if s.unsaid {
		return s.resolve(false)
	}
	return nil
}

// add takes the text of a list's field in as its next element.
func (s *screen) add() {
	f, there := s.form.Field(s.at)
	if !there || f.Type.Kind != "list" || s.typed.String() == "" {
		return
	}
	list, _ := s.form.Value(f).([]string)
	s.form.Set(f.ID, append(slices.Clone(list), s.typed.String()))
	s.typed, s.unsaid = input{}, true
}

// say makes the text that was typed the answer of its field.
func (s *screen) say(f commands.FormField) {
	switch f.Type.Kind {
	case "list":
		return // once it is whole: add
	case "number":
		if n, err := strconv.Atoi(s.typed.String()); err == nil {
			s.form.Set(f.ID, n)
		} else {
			s.form.Set(f.ID, nil)
		}
	default:
		s.form.Set(f.ID, s.typed.String())
	}
	s.unsaid = true
}

// fork ends the form, if all is answered as it can be.
func (s *screen) fork() tea.Cmd {
	s.add()
	if s.form.Early() {
		s.early, s.note = true, s.form.say("The sessions are still being read: a moment, or choose.")
		return s.resolve(false)
	}
	s.early, s.note = false, ""
	return s.resolve(true)
}

// plan shows what the fork that is drawn would do.
func (s *screen) plan() tea.Cmd {
	s.add()
	s.note = s.form.say("Looking …")
	ctx, ask, answers, width := s.ctx, s.ask.Plan, s.form.Answers(), s.width
	return func() tea.Msg {
		text, failed := ask(ctx, answers, width)
		return planned{text, failed}
	}
}
