package carry

import (
	"encoding/json"
	"unicode/utf8"
)

// exact is a path or name whose bytes survive JSON whatever they are: a string where they are UTF-8, which JSON demands,
// else an object with the bytes in base64.
type exact string

type exactBytes struct {
	Bytes []byte `json:"bytes"`
}

func (x exact) MarshalJSON() ([]byte, error) {
	if utf8.ValidString(string(x)) {
		return json.Marshal(string(x))
	}
	return json.Marshal(exactBytes{[]byte(x)})
}

func (x *exact) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '{' {
		var b exactBytes
		err := json.Unmarshal(text, &b)
		*x = exact(b.Bytes)
		return err
	}
	return json.Unmarshal(text, (*string)(x))
}

// exactStep is a CarryStep as a journal has it.
type exactStep struct {
	plainStep
	Target       exact `json:"target"`
	TargetGitDir exact `json:"targetGitDir"`
	Aside        exact `json:"aside,omitempty"`
}

type plainStep CarryStep

func (c CarryStep) MarshalJSON() ([]byte, error) {
	return json.Marshal(exactStep{plainStep(c), exact(c.Target), exact(c.TargetGitDir), exact(c.Aside)})
}

func (c *CarryStep) UnmarshalJSON(text []byte) error {
	var s exactStep
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	*c = CarryStep(s.plainStep)
	c.Target, c.TargetGitDir, c.Aside = string(s.Target), string(s.TargetGitDir), string(s.Aside)
	return nil
}
