package rules

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// Limits of the code outside tests, without generated files. Lower them when the code
// improves; never raise them.
const (
	maxComplexity  = 30 // of a function
	highComplexity = 15 // functions above it are counted
	maxHigh        = 75 // functions above highComplexity
	wideColumns    = 120
	maxWideLines   = 250
	columnsOfATab  = 4
)

// The comment of a package of more than largePackage lines has a sentence with largeReason.
const (
	largePackage = 4000
	largeReason  = "one package because"
)

func TestShape(t *testing.T) {
	var high, wide int
	lines, comments := map[string]int{}, map[string]string{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		name, err := filepath.Rel("../..", path)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(name))
		lines[dir] += bytes.Count(text, []byte("\n"))
		comments[dir] += strings.Join(strings.Fields(file.Doc.Text()), " ")
		wide += wideLines(string(text))
		for _, decl := range file.Decls {
			n := complexity(decl)
			if f, ok := decl.(*ast.FuncDecl); ok && n > maxComplexity {
				t.Errorf("%s: %s has complexity %d, want at most %d", name, f.Name.Name, n, maxComplexity)
			}
			if n > highComplexity {
				high++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d functions with complexity over %d, %d lines wider than %d columns", high, highComplexity, wide, wideColumns)
	if high > maxHigh {
		t.Errorf("%d functions have complexity over %d, want at most %d", high, highComplexity, maxHigh)
	}
	if wide > maxWideLines {
		t.Errorf("%d lines are wider than %d columns, want at most %d", wide, wideColumns, maxWideLines)
	}
	for dir, n := range lines {
		if n > largePackage && !strings.Contains(comments[dir], largeReason) {
			t.Errorf("%s has %d lines: its comment must say why it is %q …", dir, n, largeReason)
		}
	}
}

func wideLines(text string) (n int) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		columns := utf8.RuneCountInString(line) + (columnsOfATab-1)*strings.Count(line, "\t")
		if columns > wideColumns {
			n++
		}
	}
	return n
}

// complexity returns the cyclomatic complexity of a function, as gocyclo counts it: 1,
// plus 1 for each if, for, case other than default, && and ||, those of function literals
// included. It is 0 for other declarations.
func complexity(decl ast.Decl) (n int) {
	f, ok := decl.(*ast.FuncDecl)
	if !ok {
		return 0
	}
	ast.Inspect(f, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.FuncDecl, *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if x.List != nil {
				n++
			}
		case *ast.CommClause:
			if x.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}
