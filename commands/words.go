package commands

import (
	"fmt"
	"slices"
	"strings"
)

// warning makes a warning from a code of reasons.go: its detail, then name, value, name, value….
func warning(code, detail string, args ...string) Warning {
	r := reason(code, named(args))
	return Warning{Code: code, Message: r.Message, Remedy: r.Remedy, Detail: printableText(detail), Args: r.Args}
}

func named(pairs []string) map[string]string {
	values := make(map[string]string, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	return values
}

// someOf names the first few of many.
func someOf(names []string) string {
	const few = 5
	if len(names) <= few {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s, … (+%d)", strings.Join(names[:few], ", "), len(names)-few) // no words: it is an argument
}

func nonEmpty(lines []string) []string {
	return slices.DeleteFunc(lines, func(s string) bool { return s == "" })
}

// HumanBytes writes a size as a person reads it.
func HumanBytes(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	value, exponent := float64(n)/unit, 0
	for value >= unit && exponent < 4 {
		value /= unit
		exponent++
	}
	return fmt.Sprintf("%.1f %ciB", value, "KMGTP"[exponent])
}

// Refuse makes a Failure with nothing written, of a code of reasons.go, for the clients of the table: they must refuse
// what cannot even be asked for in their own terms. args are name, value, name, value….
func Refuse(code string, args ...string) *Failure { return refuse(code, args...) }
