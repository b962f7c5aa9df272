package commands

import (
	"context"
	"maps"
	"reflect"
	"sync"
	"time"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/commands/setup"
	"github.com/sidefork/sidefork/sessions"
	"github.com/sidefork/sidefork/sessions/agent"
	"go.uber.org/zap"
)

// What a form shows of a workspace is read in the background, part by part. A form takes what is known; one that was
// answered before all was there is told of by sidefork/changed.

const (
	draftAge = 10 * time.Second // of what a dialog that is open may show
	lookTime = 2 * time.Minute  // for a look, which may wait for a slow disk
	maxLooks = 64               // workspaces that are remembered
)

// formKey is what a dialog is about.
type formKey struct {
	workspace string
	pid       int
}

// formFacts are what is known of a workspace. A copy may be read by anybody: no part of it is written into again.
type formFacts struct {
	refused *Failure // why nothing can be forked from here

	at       *worktree.Worktree
	family   []worktree.Worktree
	named    bool   // the two below are known
	free     string // a name that is
	standard string // the repository's default branch; "" where it has none

	listed   bool      // sessions is known, but for what the agents' programs are able to
	settled  bool      // and that too
	sessions []Session // newest first
	opener   *agent.ID // the session that runs in the terminal which the dialog was opened from

	counts *Inspection // its Changes and Carry
	setups map[string]setupFact
}

// setupFact is the setup of a workspace, or why there is none that can be run. It is known by where it was read: disk, or
// the object id of a commit.
type setupFact struct {
	info    *SetupInfo
	problem *Reason
}

// formLook is the reading of one workspace.
type formLook struct {
	mu      sync.Mutex
	facts   formFacts
	version int           // of facts
	news    chan struct{} // closed at the next version, or end of reading
	reading int           // how many readings go on
	ended   time.Time     // when the last of the whole workspace did
	owed    func()        // tells a client of the next version

	// What the open dialog has shown, and may not take away or replace by another.
	shown   map[string]bool
	session string
	asked   map[string]bool // the commits whose setup was looked for
}

func newFormLook() *formLook {
	return &formLook{news: make(chan struct{}), shown: map[string]bool{}, asked: map[string]bool{}}
}

// formLooks are those that a sidecar remembers.
type formLooks struct {
	mu  sync.Mutex
	all map[formKey]*formLook
}

func (f *formLooks) of(key formKey) *formLook {
	f.mu.Lock()
	defer f.mu.Unlock()
	if look, there := f.all[key]; there {
		return look
	}
	if f.all == nil || len(f.all) >= maxLooks {
		f.all = map[formKey]*formLook{} // who has a dialog open meets it again, a little later
	}
	look := newFormLook()
	f.all[key] = look
	return look
}

// lookForForm gives the look at a workspace, and begins it anew unless one goes on, or what is known may do for a draft.
// opening: a dialog opens, which has shown nothing yet.
func (e *Env) lookForForm(ctx context.Context, key formKey, opening, draft bool) *formLook {
	look := newFormLook()
	if e.Memory != nil {
		look = e.Memory.forms.of(key)
	}
	look.mu.Lock()
	if opening {
		look.shown, look.session = map[string]bool{}, ""
	}
	begin := look.reading == 0 && !(draft && time.Since(look.ended) < draftAge)
	if begin {
		look.reading++
		look.asked = map[string]bool{}
		look.facts.refused = nil // it may be well by now
	}
	look.mu.Unlock()
	if begin {
		e.readForForm(ctx, look, func(ctx context.Context) { look.workspace(ctx, e, key) }, true)
	}
	return look
}

// readForForm reads in the background; where there is none, now. The caller has counted it.
func (e *Env) readForForm(ctx context.Context, look *formLook, read func(ctx context.Context), whole bool) {
	reading := func(ctx context.Context) {
		ctx, cancel := context.WithTimeout(ctx, lookTime)
		defer cancel()
		defer look.end(whole)
		read(ctx)
	}
	if e.Background == nil {
		reading(context.WithoutCancel(ctx))
		return
	}
	e.Background(reading)
}

func (l *formLook) end(whole bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.reading--
	if whole {
		l.ended = time.Now()
	}
	if l.reading == 0 {
		l.owed = nil
	}
	close(l.news)
	l.news = make(chan struct{})
}

// wait waits until all is read, but no longer than limit.
func (l *formLook) wait(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for {
		l.mu.Lock()
		over, news := l.reading == 0, l.news
		l.mu.Unlock()
		if over {
			return
		}
		select {
		case <-news:
		case <-ctx.Done():
			return
		}
	}
}

func (l *formLook) known() (formFacts, int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.facts, l.version
}

// tell calls notify once there is more than that version: now, or when it comes. It is asked for once for each form.
func (l *formLook) tell(version int, notify func()) {
	l.mu.Lock()
	now := l.version != version
	if !now && l.reading > 0 {
		l.owed = notify
	}
	l.mu.Unlock()
	if now {
		notify()
	}
}

// learn makes facts known. change gets a copy.
func (l *formLook) learn(change func(*formFacts)) {
	l.mu.Lock()
	facts := l.facts
	change(&facts)
	if reflect.DeepEqual(facts, l.facts) {
		l.mu.Unlock()
		return
	}
	l.facts = facts
	l.version++
	close(l.news)
	l.news = make(chan struct{})
	owed := l.owed
	l.owed = nil
	l.mu.Unlock()
	if owed != nil {
		owed()
	}
}

// workspace reads all of a workspace, what does not hang on each other at once.
func (l *formLook) workspace(ctx context.Context, env *Env, key formKey) {
	at, err := openParent(ctx, key.workspace)
	if err != nil {
		if ctx.Err() == nil {
			l.learn(func(f *formFacts) { f.refused = failureOf(err) })
		}
		return
	}
	l.learn(func(f *formFacts) { f.refused, f.at = nil, &at })
	var parts sync.WaitGroup
	parts.Go(func() { l.changes(ctx, env, at) })
	parts.Go(func() { l.setup(ctx, env, at, nil, onDisk) })
	parts.Go(func() {
		family, err := at.Siblings(ctx)
		if err != nil {
			if ctx.Err() == nil {
				l.learn(func(f *formFacts) { f.refused = failureOf(err) })
			}
			return
		}
		l.learn(func(f *formFacts) { f.family = family })
		parts.Go(func() { l.names(ctx, env, at) })
		l.conversations(ctx, env, at, family, key.pid)
	})
	parts.Wait()
}

func (l *formLook) names(ctx context.Context, env *Env, at worktree.Worktree) {
	free, _ := freeName(ctx, env, at) // where git fails, a fork will say why
	standard := worktree.DefaultBranch(ctx, at)
	if ctx.Err() != nil {
		return
	}
	l.learn(func(f *formFacts) { f.named, f.free, f.standard = true, free, standard })
}

func (l *formLook) changes(ctx context.Context, env *Env, at worktree.Worktree) {
	counts := new(Inspection)
	if err := inspectChanges(ctx, env, at, counts); err != nil {
		if ctx.Err() != nil {
			return
		}
		why, _ := reasonOf(err)
		counts.Carry.Available, counts.Carry.Reason = false, &why
		counts.Changes = Changes{Left: []carry.Left{}}
	}
	l.learn(func(f *formFacts) { f.counts = counts })
}

// conversations lists the sessions of the workspace: first as their stores tell, then with what the agents' programs are
// able to, for which they may have to be started.
func (l *formLook) conversations(ctx context.Context, env *Env, at worktree.Worktree, family []worktree.Worktree, pid int) {
	opener, _ := opener(ctx, env, InspectParams{PID: pid}) // where that cannot be told, nothing is preselected
	page, err := sessions.List(ctx, env.sessions(), sessions.Query{Worktrees: paths(family), Only: at.Path})
	if err != nil {
		env.log().Warn("sessions of a form", zap.Error(err))
	}
	j := judge{asked: at.Path, tops: paths(family)}
	list := make([]Session, 0, len(page.Sessions))
	for _, s := range page.Sessions {
		list = append(list, j.describe(s))
	}
	l.learn(func(f *formFacts) {
		if f.opener = opener; !f.settled { // else what is known already says more
			f.listed, f.sessions = true, list
		}
	})
	described, err := describePage(ctx, env, page, j)
	if err != nil {
		described.Sessions = list // which agents can fork could not be asked: a fork will
	}
	if ctx.Err() == nil {
		l.learn(func(f *formFacts) { f.listed, f.settled, f.sessions = true, true, described.Sessions })
	}
}

// onDisk is where a setup is read that comes with the changes.
const onDisk = "disk"

// setup reads the setup that a child has: the disk's, or that of a commit.
func (l *formLook) setup(ctx context.Context, env *Env, at worktree.Worktree, family []worktree.Worktree, from string) {
	view := setup.Disk(at.Path)
	if from != onDisk {
		view = setup.Tree(at.Path, from)
	}
	c, err := findSetup(ctx, env, at, family, view)
	var fact setupFact
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		why, _ := reasonOf(err)
		fact.problem = &why
	default:
		fact.info = c.info()
	}
	l.learn(func(f *formFacts) {
		if f.setups = maps.Clone(f.setups); f.setups == nil {
			f.setups = map[string]setupFact{}
		}
		f.setups[from] = fact
	})
}

// setupOf is the setup of a commit, read in the background where that was not done.
func (l *formLook) setupOf(ctx context.Context, env *Env, facts formFacts, from string) (fact setupFact, known bool) {
	l.mu.Lock()
	fact, known = l.facts.setups[from]
	begin := from != onDisk && !l.asked[from]
	if begin {
		l.asked[from] = true
		l.reading++
	}
	l.mu.Unlock()
	if begin {
		at, family := *facts.at, facts.family
		env.readForForm(ctx, l, func(ctx context.Context) { l.setup(ctx, env, at, family, from) }, false)
		l.wait(ctx, lookWithin/2)
		l.mu.Lock()
		defer l.mu.Unlock()
		fact, known = l.facts.setups[from]
	}
	return fact, known
}

// remember takes down that a field is shown, and says whether it was before.
func (l *formLook) remember(field string) (before bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before = l.shown[field]
	l.shown[field] = true
	return before
}

func (l *formLook) wasShown(field string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown[field]
}

// standing is the session that is preselected while the dialog is open: the first that was, as long as it is there. Another
// one is never put in its place.
func (l *formLook) standing(preferred string, there func(string) bool) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.session == "" {
		l.session = preferred
	}
	if l.session != "" && !there(l.session) {
		l.session = noAgent
	}
	if l.session == "" {
		return noAgent
	}
	return l.session
}

// dropSession has the dialog go on without an agent.
func (l *formLook) dropSession() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.session = noAgent
}
