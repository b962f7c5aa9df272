package sqlite

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// schema is a table and what it is found by.
type schema struct {
	root    uint32
	columns []string
	indexes []index
}

// index orders the rows of a table by its columns.
type index struct {
	root    uint32
	columns []string
}

// readSchema reads which tables and indexes there are. One that is not understood is not there.
func (d *Database) readSchema() error {
	d.tables = map[string]schema{}
	type found struct {
		of string
		index
	}
	var indexes []found
	left := int(d.pages)
	err := d.rows(1, &left, 0, func(payload []byte) bool {
		v, err := record(payload, []int{0, 2, 3, 4}) // type, table, root page, SQL
		if err != nil || v[2].Int <= 0 || v[2].Int > int64(d.pages) {
			return true
		}
		table, root, sql := v[1].String(), uint32(v[2].Int), v[3].String()
		switch v[0].String() {
		case "table":
			d.tables[table] = schema{root: root, columns: columnsOf(sql)}
		case "index":
			if plain := plainColumns(sql); plain != nil {
				indexes = append(indexes, found{table, index{root, plain}})
			}
		}
		return true
	})
	for _, i := range indexes {
		if t, there := d.tables[i.of]; there {
			t.indexes = append(t.indexes, i.index)
			d.tables[i.of] = t
		}
	}
	return err
}

// Has says whether there is a table with these columns.
func (d *Database) Has(table string, columns ...string) bool {
	t, there := d.tables[table]
	return there && !slices.ContainsFunc(columns, func(c string) bool { return !slices.Contains(t.columns, c) })
}

// Columns are a table's, in its order; nil where there is no such table.
func (d *Database) Columns(table string) []string { return d.tables[table].columns }

func (d *Database) places(table string, columns []string) (schema, []int, error) {
	t, there := d.tables[table]
	if !there {
		return t, nil, fmt.Errorf("%w: it has no table %s", ErrDamaged, table)
	}
	places := make([]int, len(columns))
	for i, c := range columns {
		places[i] = slices.Index(t.columns, c) // -1, of one that is not there: NULL
	}
	return t, places, nil
}

// Scan gives columns of every row of a table until each says no; one that the table does not have is NULL. A damaged part
// is passed over: the error then says so, after all else was given.
func (d *Database) Scan(table string, columns []string, each func(row []Value) bool) error {
	t, places, err := d.places(table, columns)
	if err != nil {
		return err
	}
	left := int(d.pages)
	var damage error
	err = d.rows(t.root, &left, 0, func(payload []byte) bool {
		row, err := record(payload, places)
		if err != nil {
			damage = err
			return true
		}
		return each(row)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return errors.Join(err, damage)
}

// Where gives columns of the rows whose column by is a text, until each says no. It goes through an index that begins
// with by, in the index's order, of several through the one with the most columns; where there is none, it scans.
func (d *Database) Where(table, by, text string, columns []string, each func(row []Value) bool) error {
	t, places, err := d.places(table, columns)
	if err != nil {
		return err
	}
	var best index
	for _, i := range t.indexes {
		if i.columns[0] == by && len(i.columns) > len(best.columns) {
			best = i
		}
	}
	if best.root == 0 {
		return d.Scan(table, append(slices.Clone(columns), by), func(row []Value) bool {
			return row[len(columns)].String() != text || each(row[:len(columns)])
		})
	}
	left := int(d.pages)
	err = d.entries(best.root, text, &left, 0, func(payload []byte) error {
		key, err := record(payload, []int{len(best.columns)}) // the row's number comes last
		if err != nil {
			return err
		}
		found, err := d.row(t.root, key[0].Int)
		if err != nil {
			return err
		}
		row, err := record(found, places)
		if err == nil && !each(row) {
			return errEnough
		}
		return err
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// columnsOf are the columns that a CREATE TABLE names, in their order.
func columnsOf(sql string) (columns []string) {
	for _, part := range list(sql) {
		name, quoted := firstName(part)
		switch strings.ToUpper(name) {
		case "CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN":
			if !quoted {
				continue
			}
		}
		columns = append(columns, name)
	}
	return columns
}

// plainColumns are the columns of a CREATE INDEX that orders every row by them as they are; nil for any other index.
func plainColumns(sql string) (columns []string) {
	if end := strings.LastIndexByte(sql, ')'); end < 0 || strings.TrimSpace(sql[end+1:]) != "" {
		return nil // of some rows only
	}
	for _, part := range list(sql) {
		name, _ := firstName(part)
		if bare := strings.Trim(strings.TrimSpace(part), "`\"[]"); bare != name {
			return nil
		}
		columns = append(columns, name)
	}
	return columns
}

// list splits what stands in the first parentheses at its commas.
func list(sql string) (parts []string) {
	start := strings.IndexByte(sql, '(')
	if start < 0 {
		return nil
	}
	depth, from := 0, start+1
	var quote byte
	for i := start; i < len(sql); i++ {
		c := sql[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '`', c == '"', c == '\'':
			quote = c
		case c == '[':
			quote = ']'
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return append(parts, sql[from:i])
			}
		case c == ',' && depth == 1:
			parts, from = append(parts, sql[from:i]), i+1
		}
	}
	return nil
}

// firstName is the name that text begins with.
func firstName(text string) (name string, quoted bool) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", false
	}
	if end := strings.IndexByte("`\"[", text[0]); end >= 0 {
		name, _, _ = strings.Cut(text[1:], string("`\"]"[end]))
		return name, true
	}
	return text[:len(text)-len(strings.TrimLeftFunc(text, func(r rune) bool { return !strings.ContainsRune(" \t\r\n(", r) }))], false
}
