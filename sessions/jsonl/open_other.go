//go:build !unix

package jsonl

const noWait = 0
