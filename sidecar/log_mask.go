package sidecar

import (
	"maps"
	"slices"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// masking takes secrets out of log lines: git and the agents say what they please, such as the address of a remote with the
// password in it.
type masking struct {
	zapcore.Core
	mask func(string) string
}

func (m masking) With(fields []zapcore.Field) zapcore.Core {
	return masking{m.Core.With(m.clean(fields)), m.mask}
}

func (m masking) Check(entry zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if m.Enabled(entry.Level) {
		return checked.AddCore(entry, m)
	}
	return checked
}

func (m masking) Write(entry zapcore.Entry, fields []zapcore.Field) error {
	entry.Message = m.mask(entry.Message)
	return m.Core.Write(entry, m.clean(fields))
}

// clean masks every string of the fields.
func (m masking) clean(fields []zapcore.Field) []zapcore.Field {
	var clean []zapcore.Field
	for _, f := range fields {
		said := zapcore.NewMapObjectEncoder()
		f.AddTo(said)
		for _, name := range slices.Sorted(maps.Keys(said.Fields)) {
			clean = append(clean, zap.Any(name, m.value(said.Fields[name])))
		}
	}
	return clean
}

func (m masking) value(v any) any {
	switch v := v.(type) {
	case string:
		return m.mask(v)
	case []any:
		list := make([]any, len(v))
		for i := range v {
			list[i] = m.value(v[i])
		}
		return list
	}
	return v
}
