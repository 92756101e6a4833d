package rules

import (
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

// Limits of the code outside tests. They are ratchets: lower them when the code
// gets better, never raise them.
const (
	maxBranches      = 40 // of a function
	manyBranches     = 15 // functions with more are counted
	maxManyBranches  = 30 // such functions
	wideColumns      = 120
	maxWideLines     = 250
	maxPackageFiles  = 25
	columnsOfATab    = 4
	generatedComment = "DO NOT EDIT"
)

// largePackages may have more files than maxPackageFiles: one per noun.
var largePackages = map[string]bool{"internal/postgres": true}

func TestShape(t *testing.T) {
	var many, wide int
	files := map[string]int{}
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
		if strings.Contains(string(text), generatedComment) {
			return nil
		}
		name, err := filepath.Rel("../..", path)
		if err != nil {
			return err
		}
		files[filepath.ToSlash(filepath.Dir(name))]++
		wide += wideLines(string(text))
		for function, n := range branches(t, path, text) {
			if n > maxBranches {
				t.Errorf("%s: %s has %d branches, at most %d are allowed", name, function, n, maxBranches)
			}
			if n > manyBranches {
				many++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if many > maxManyBranches {
		t.Errorf("%d functions have more than %d branches, at most %d may", many, manyBranches, maxManyBranches)
	}
	if wide > maxWideLines {
		t.Errorf("%d lines are wider than %d columns, at most %d may be", wide, wideColumns, maxWideLines)
	}
	for dir, n := range files {
		if n > maxPackageFiles && !largePackages[dir] {
			t.Errorf("%s has %d files, at most %d are allowed", dir, n, maxPackageFiles)
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

// branches counts the branches of each function of a file: if, for, case, && and
// ||.
func branches(t *testing.T, path string, text []byte) map[string]int {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, text, 0)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		n := 0
		ast.Inspect(f.Body, func(node ast.Node) bool {
			switch x := node.(type) {
			case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
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
		counts[f.Name.Name] = max(n, counts[f.Name.Name])
	}
	return counts
}
