package sqlite

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// want is a row of the databases of testdata/make.py.
func want(i int) string {
	body := "NULL"
	if i%5 != 0 {
		times := 3
		if i%11 == 0 {
			times = 300
		}
		body = strings.Repeat(fmt.Sprintf("body %d ", i), i%7*times)
	}
	blob := make([]byte, i%20)
	for k := range blob {
		blob[k] = byte(k)
	}
	n := (int64(i) - 100) * int64(math.Pow10(i%13))
	return fmt.Sprintf("id%04d owner%d %d %v %x %s NULL", i, i%3, n, float64(i)/4, blob, body)
}

func columns() []string { return []string{"id", "owner", "n", "r", "b", "body", "late"} }

func line(row []Value) string {
	var parts []string
	for _, v := range row {
		switch v.Kind {
		case Null:
			parts = append(parts, "NULL")
		case Int:
			parts = append(parts, fmt.Sprint(v.Int))
		case Real:
			parts = append(parts, fmt.Sprint(v.Real))
		case Blob:
			parts = append(parts, fmt.Sprintf("%x", v.Bytes))
		case Text:
			parts = append(parts, v.String())
		}
	}
	return strings.Join(parts, " ")
}

func scan(t testing.TB, path string) (lines []string) {
	t.Helper()
	err := Read(t.Context(), path, func(d *Database) error {
		lines = nil
		return d.Scan("note", columns(), func(row []Value) bool {
			lines = append(lines, line(row))
			return true
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(lines)
	return lines
}

// copied gives a database of testdata in a folder of its own.
func copied(t testing.TB, name string) string {
	t.Helper()
	folder := t.TempDir()
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(filepath.Join("testdata", name+end))
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, name+end), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(folder, name)
}

func TestEveryRowIsReadAsSQLiteWroteIt(t *testing.T) {
	for _, name := range []string{"plain.db", "logged.db"} {
		t.Run(name, func(t *testing.T) {
			got := scan(t, copied(t, name))
			if len(got) != 200 {
				t.Fatalf("%d rows", len(got))
			}
			for i, text := range got {
				if text != want(i) {
					t.Errorf("row %d: %.200s\nwant %.200s", i, text, want(i))
				}
			}
		})
	}
}

func TestWhereGoesThroughAnIndexInItsOrder(t *testing.T) {
	for _, name := range []string{"plain.db", "logged.db"} {
		for _, by := range []string{"owner", "id"} { // id has only the index that its key makes
			t.Run(name+" "+by, func(t *testing.T) {
				text, count := "owner1", 67
				if by == "id" {
					text, count = "id0123", 1
				}
				err := Read(t.Context(), copied(t, name), func(d *Database) error {
					var found int
					last := int64(math.MinInt64)
					err := d.Where("note", by, text, columns(), func(row []Value) bool {
						i := 0
						if _, err := fmt.Sscanf(row[0].String(), "id%d", &i); err != nil || line(row) != want(i) {
							t.Errorf("%.200s", line(row))
						}
						if row[2].Int < last {
							t.Errorf("%d after %d", row[2].Int, last)
						}
						last = row[2].Int
						found++
						return true
					})
					if found != count {
						t.Errorf("%d rows", found)
					}
					return err
				})
				if err != nil {
					t.Fatal(err)
				}
			})
		}
	}
}

func TestOnlyWhatIsCommittedCounts(t *testing.T) {
	path := copied(t, "logged.db")
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if ends := commits(log); len(ends) < 3 {
		t.Fatalf("the log has %d commits", len(ends))
	}
	const frame = frameHeader + 512
	for end := walHeader; end < len(log); end += frame/2 + 1 { // cut anywhere, as by a crash
		if err := os.WriteFile(path+"-wal", log[:end], 0o600); err != nil {
			t.Fatal(err)
		}
		if rows := len(scan(t, path)); rows != 100 && rows != 200 {
			t.Fatalf("cut at %d: %d rows", end, rows)
		}
	}
}

// commits are where the commits of logged.db's log end.
func commits(log []byte) (ends []int) {
	const frame = frameHeader + 512
	for at := walHeader; at+frame <= len(log) && bytes.Equal(log[at+8:at+16], log[16:24]); at += frame {
		if binary.BigEndian.Uint32(log[at+4:]) != 0 {
			ends = append(ends, at+frame)
		}
	}
	return ends
}

func TestAFrameWithAWrongChecksumEndsTheLog(t *testing.T) {
	path := copied(t, "logged.db")
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	for at := walHeader + frameHeader + 300; at < commits(log)[2]; at += 7 * (frameHeader + 512) {
		broken := slices.Clone(log)
		broken[at] ^= 0xff
		if err := os.WriteFile(path+"-wal", broken, 0o600); err != nil {
			t.Fatal(err)
		}
		got := scan(t, path)
		if len(got) != 100 && len(got) != 200 {
			t.Fatalf("broken at %d: %d rows", at, len(got))
		}
		for i, text := range got {
			if text != want(i) {
				t.Fatalf("broken at %d: row %d: %.200s", at, i, text)
			}
		}
	}
}

func TestADatabaseThatIsWrittenMeanwhileIsReadAgain(t *testing.T) {
	path := copied(t, "logged.db")
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range append([]int{0, walHeader}, commits(log)[:2]...) { // of an empty log, and of one that has commits
		if err := os.WriteFile(path+"-wal", log[:end], 0o600); err != nil {
			t.Fatal(err)
		}
		var rows []int
		err = Read(t.Context(), path, func(d *Database) error {
			rows = append(rows, 0)
			if len(rows) == 1 { // the writer commits
				if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			return d.Scan("note", []string{"id"}, func([]Value) bool { rows[len(rows)-1]++; return true })
		})
		if err != nil || len(rows) != 2 || rows[1] != 200 {
			t.Errorf("from %d on: %d, %v", end, rows, err)
		}
	}
	again := 0
	err = Read(t.Context(), path, func(*Database) error { // a new log is begun each time
		again++
		log[walHeader-1]++
		return os.WriteFile(path+"-wal", log, 0o600)
	})
	if !errors.Is(err, ErrMoving) || again != tries {
		t.Errorf("%v after %d", err, again)
	}
}

func TestAJournalBesideItMeansThatItIsBeingWritten(t *testing.T) {
	path := copied(t, "plain.db")
	if err := os.WriteFile(path+"-journal", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Read(t.Context(), path, func(*Database) error { return nil }); !errors.Is(err, ErrMoving) {
		t.Errorf("%v", err)
	}
}

func TestReadingLeavesNoTrace(t *testing.T) {
	path := copied(t, "logged.db")
	folder := filepath.Dir(path)
	state := func() (all string) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all += fmt.Sprintln(e.Name(), info.ModTime(), info.Mode(), string(data))
		}
		return all
	}
	before := state()
	scan(t, path)
	if state() != before {
		t.Error("it was changed")
	}
}

func TestWhatIsNoDatabaseIsDamaged(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "text": strings.Repeat("hello ", 100), "zeros": strings.Repeat("\x00", 4096)} {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Read(t.Context(), path, func(*Database) error { return nil }); err == nil {
			t.Errorf("%s was read", name)
		}
	}
	if err := Read(t.Context(), filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

func TestADamagedPageHidesNoOther(t *testing.T) {
	path := copied(t, "plain.db")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, worst := 0, 200
	for page := 1; page < len(data)/512; page++ {
		broken := slices.Clone(data)
		for i := range 512 {
			broken[page*512+i] = 0xff
		}
		if err := os.WriteFile(path, broken, 0o600); err != nil {
			t.Fatal(err)
		}
		rows := 0
		err := Read(t.Context(), path, func(d *Database) error {
			rows = 0
			return d.Scan("note", columns(), func([]Value) bool { rows++; return true })
		})
		if rows == 200 && err == nil {
			whole++ // a page of an index or of an overflowing text
		} else if err == nil {
			t.Errorf("page %d: %d rows and no word of the others", page, rows)
		} else if rows > 0 {
			worst = min(worst, rows)
		}
	}
	if whole == 0 || worst < 100 {
		t.Errorf("whole %d times, at least %d rows", whole, worst)
	}
}

func TestColumnsAreReadOffTheSchema(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE TABLE t (a, b text DEFAULT 'x,y)' NOT NULL, \"c d\" int, CONSTRAINT k PRIMARY KEY (a, b))": "a|b|c d",
		"CREATE TABLE `t` (\n  `primary` text,\n\t[check] real,\nUNIQUE (`primary`)\n)":                    "primary|check",
		"CREATE TABLE t": "", "": "", "CREATE TABLE t (": "",
	} {
		if got := strings.Join(columnsOf(sql), "|"); got != want {
			t.Errorf("%s: %s", sql, got)
		}
	}
	for sql, want := range map[string]string{
		"CREATE INDEX i ON t (`a`, b)": "a|b", "CREATE INDEX i ON t (a) WHERE b": "", "CREATE INDEX i ON t (a DESC)": "",
		"CREATE INDEX i ON t (lower(a))": "", "CREATE INDEX i ON t (a COLLATE NOCASE)": "",
	} {
		if got := strings.Join(plainColumns(sql), "|"); got != want {
			t.Errorf("%s: %s", sql, got)
		}
	}
}

// FuzzRead: whatever the bytes, reading ends, without a panic.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"plain.db", "logged.db"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		log, _ := os.ReadFile(filepath.Join("testdata", name+"-wal"))
		f.Add(data[:min(len(data), 20<<10)], log[:min(len(log), 20<<10)], uint16(100), byte(7))
	}
	f.Fuzz(func(t *testing.T, data, log []byte, at uint16, b byte) {
		if int(at) < len(data) {
			data = slices.Clone(data)
			data[at] = b
		}
		path := filepath.Join(t.TempDir(), "x.db")
		if os.WriteFile(path, data, 0o600) != nil || os.WriteFile(path+"-wal", log, 0o600) != nil {
			t.Fatal("cannot write")
		}
		_ = Read(context.Background(), path, func(d *Database) error {
			err := d.Scan("note", columns(), func([]Value) bool { return true })
			return errors.Join(err, d.Where("note", "owner", "owner1", columns(), func([]Value) bool { return true }))
		})
	})
}
