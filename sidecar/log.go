package sidecar

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/sidefork/sidefork/commands"
)

const (
	keptLogs   = 20       // files; one belongs to each run
	maxLogSize = 16 << 20 // bytes of one file; lines beyond are dropped
)

// logs are where a server's log lines go.
type logs struct {
	log        *zap.Logger // to the file and to the client
	file       *zap.Logger // to the file alone: before the client may be written to, and about writing to it
	fileLevel  zap.AtomicLevel
	lineLevel  zap.AtomicLevel // the client's
	open       *atomic.Bool    // the client may be written to
	closeLog   func()
	clientLog  func(protocol.MessageType, string)
	lineFormat zapcore.Encoder
}

// openLogs sends log lines to a new file in $XDG_STATE_HOME/sidefork/log, readable by its owner only. Without one, they go
// to the client alone; never to stdout, and not to stderr, which some editors show as errors.
func openLogs(opt Options, toClient func(protocol.MessageType, string)) *logs {
	l := &logs{
		fileLevel: zap.NewAtomicLevel(), lineLevel: zap.NewAtomicLevelAt(zap.WarnLevel), open: new(atomic.Bool),
		clientLog: toClient, closeLog: func() {},
		lineFormat: zapcore.NewConsoleEncoder(zapcore.EncoderConfig{MessageKey: "m", SkipLineEnding: true}),
	}
	l.file = zap.NewNop()
	mask := commands.Masker(os.Environ())
	if folder := LogFolder(opt.Getenv); folder != "" {
		f := &logFile{folder: folder}
		config := zap.NewProductionEncoderConfig()
		config.EncodeTime = zapcore.ISO8601TimeEncoder
		core := zapcore.NewCore(zapcore.NewJSONEncoder(config), f, l.fileLevel)
		l.file = zap.New(masking{core, mask}, zap.ErrorOutput(zapcore.AddSync(io.Discard)))
		l.closeLog = f.close
	}
	l.log = zap.New(zapcore.NewTee(l.file.Core(), masking{&clientCore{logs: l}, mask}), zap.ErrorOutput(zapcore.AddSync(io.Discard)))
	return l
}

func (l *logs) levels(name string) {
	level, err := zapcore.ParseLevel(cmp.Or(name, "info"))
	if err != nil {
		level = zap.InfoLevel
	}
	l.fileLevel.SetLevel(level)
}

func (l *logs) clientLevel(level zapcore.Level) { l.lineLevel.SetLevel(level) }

// openToClient lets lines reach the client: LSP forbids them before initialize is answered.
func (l *logs) openToClient() { l.open.Store(true) }

// LogFolder is where serve keeps its logs, one file for each run: $XDG_STATE_HOME/sidefork/log; "" where there is no
// place for them.
func LogFolder(getenv func(string) string) string {
	state := getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		home := getenv("HOME")
		switch {
		case runtime.GOOS == "windows":
			state = getenv("LocalAppData")
		case home != "":
			state = filepath.Join(home, ".local", "state")
		}
	}
	if !filepath.IsAbs(state) {
		return ""
	}
	return filepath.Join(state, "sidefork", "log")
}

// newLogFile makes this run's file and removes the oldest ones. Names sort by time.
func newLogFile(folder string) (*os.File, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	name := fmt.Sprintf("serve-%s-%d.log", time.Now().UTC().Format("20060102T150405.000000000"), os.Getpid())
	f, err := os.OpenFile(filepath.Join(folder, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	entries, _ := os.ReadDir(folder)
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		return !strings.HasPrefix(e.Name(), "serve-") || !strings.HasSuffix(e.Name(), ".log")
	})
	for len(entries) > keptLogs {
		_ = os.Remove(filepath.Join(folder, entries[0].Name()))
		entries = entries[1:]
	}
	return f, nil
}

// logFile is a run's file. It is made by its first line, since the client waits for the start, and takes no more than
// maxLogSize.
type logFile struct {
	folder string

	mu      sync.Mutex
	to      *os.File
	over    bool // closed, or it could not be made
	written int
}

func (f *logFile) Write(line []byte) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.to == nil && !f.over {
		f.to, err = newLogFile(f.folder)
		f.over = err != nil
	}
	if f.over || f.written+len(line) > maxLogSize {
		return len(line), nil
	}
	n, err = f.to.Write(line)
	f.written += n
	return n, err
}

func (f *logFile) Sync() error { return nil }

func (f *logFile) close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	if f.to != nil {
		_ = f.to.Close()
	}
}

// clientCore sends log lines as window/logMessage.
type clientCore struct {
	logs   *logs
	fields []zapcore.Field
}

func (c *clientCore) Enabled(level zapcore.Level) bool {
	return c.logs.open.Load() && c.logs.lineLevel.Enabled(level)
}

func (c *clientCore) With(fields []zapcore.Field) zapcore.Core {
	return &clientCore{c.logs, slices.Concat(c.fields, fields)}
}

func (c *clientCore) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(entry.Level) {
		return checked.AddCore(entry, c)
	}
	return checked
}

func (c *clientCore) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	kind := protocol.MessageTypeLog
	switch {
	case entry.Level >= zap.ErrorLevel:
		kind = protocol.MessageTypeError
	case entry.Level == zap.WarnLevel:
		kind = protocol.MessageTypeWarning
	case entry.Level == zap.InfoLevel:
		kind = protocol.MessageTypeInfo
	}
	line, err := c.logs.lineFormat.EncodeEntry(entry, slices.Concat(c.fields, fields))
	if err != nil {
		return err
	}
	defer line.Free()
	c.logs.clientLog(kind, line.String())
	return nil
}

func (c *clientCore) Sync() error { return nil }
