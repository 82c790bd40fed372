// Package yamltree reads YAML, and so JSON, as a tree whose nodes know their
// lines, and collects everything that is wrong with its fields: for formats
// that admit no unknown key.
package yamltree
