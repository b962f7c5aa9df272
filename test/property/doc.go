// Package property forks random states: each path of a repository is drawn in three layers (base commit, index, disk) that
// know nothing of each other, with names of any bytes, rules and flags. Child and parent are judged by packages compare
// and snapshot, which share nothing with what they judge. Its tests print what they drew.
package property
