package sessions

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
)

// spot is where a session stands in a list: newest first, then by agent and id. A cursor names the spot of the last
// session of a page, so that sessions which come or go meanwhile neither repeat nor hide others.
type spot struct {
	at int64 // last activity, nanoseconds since 1970
	id ID
}

func placeOf(s Session) spot {
	at := s.LastActivity
	if at.IsZero() {
		return spot{id: s.ID}
	}
	return spot{at: at.UnixNano(), id: s.ID}
}

func (p spot) compare(q spot) int {
	return cmp.Or(cmp.Compare(q.at, p.at), cmp.Compare(p.id.Agent, q.id.Agent), cmp.Compare(p.id.ID, q.id.ID))
}

// cut gives the sessions behind from, at most limit of them (0: all), and the cursor of what follows.
func cut(all []Session, from *spot, limit int) (page []Session, next string) {
	if from != nil {
		start, found := slices.BinarySearchFunc(all, *from, func(s Session, p spot) int { return placeOf(s).compare(p) })
		if found {
			start++
		}
		all = all[start:]
	}
	if limit == 0 || len(all) <= limit {
		return all, ""
	}
	return all[:limit], placeOf(all[limit-1]).cursor()
}

func (p spot) cursor() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(p.at, 10) + " " + p.id.Agent + " " + p.id.ID))
}

func parseCursor(text string) (*spot, error) {
	if text == "" {
		return nil, nil
	}
	data, err := base64.RawURLEncoding.DecodeString(text)
	if parts := strings.Split(string(data), " "); err == nil && len(parts) == 3 {
		if at, err := strconv.ParseInt(parts[0], 10, 64); err == nil {
			return &spot{at: at, id: ID{Agent: parts[1], ID: parts[2]}}, nil
		}
	}
	return nil, agent.Refuse("invalidArgument", "what", "the cursor is not one of this list")
}
