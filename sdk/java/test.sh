#!/usr/bin/env bash
# Tests the SDK: runs all tests, builds and checks the jars, and follows README.md in an empty Maven
# project. The jar is installed in the local Maven repository. The live tests run if
# CENSUS_SDK_TEST_URL and CENSUS_SDK_TEST_KEY are set.
set -euo pipefail
cd "$(dirname "$0")"

version=$(javac -version 2>&1 | sed -n 's/^javac \([0-9]*\).*/\1/p' || true)
if [ -z "$version" ] || [ "$version" -lt 11 ] || ! command -v mvn >/dev/null; then
  echo "SKIPPED: the Java SDK was not tested: a JDK 11 or newer and Maven are required" >&2
  exit 0
fi

# Without the network if everything is in the local repository.
maven() {
  mvn -B -q -o "$@" >"$log" 2>&1 && return
  if grep -qiE 'offline|has not been downloaded' "$log"; then
    mvn -B -q -ntp "$@" >"$log" 2>&1 && return
    if grep -qiE 'could not transfer|unknown host|connection (refused|timed out)' "$log"; then
      echo "SKIPPED: the Java SDK was not tested: Maven cannot download its plugins" >&2
      exit 0
    fi
  fi
  cat "$log"
  return 1
}

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
log=$tmp/log

echo "== tests and jars"
maven clean install
grep -ho 'first call: .*' target/surefire-reports/*.xml | head -1 || true
awk -F'"' '/<testsuite /{for(i=1;i<NF;i++){if($i~/ tests=$/)t+=$(i+1);if($i~/ skipped=$/)s+=$(i+1)}}
  END{print t" tests, "s" skipped"}' target/surefire-reports/TEST-*.xml
if [ -z "${CENSUS_SDK_TEST_URL:-}" ] || [ -z "${CENSUS_SDK_TEST_KEY:-}" ]; then
  echo "SKIPPED: the live tests: CENSUS_SDK_TEST_URL and CENSUS_SDK_TEST_KEY are not set"
fi
grep -ho 'SKIPPED: [^"<]*' target/surefire-reports/*.xml | sort -u || true

echo "== the jar"
jar=target/census-0.1.0.jar
jar --describe-module --file "$jar" | grep '^org.mcpcensus.census.* automatic$'
jar tf "$jar" | grep -q '^META-INF/LICENSE$'
if jar tf "$jar" | grep -v '^META-INF/\|^org/$\|^org/mcpcensus/'; then
  echo "unexpected files in $jar"
  exit 1
fi
jdeps --print-module-deps --ignore-missing-deps "$jar"

echo "== README.md in an empty project"
project=$tmp/project
mkdir -p "$project/src/main/java"
awk -v folder="$project/src/main/java/" '
  /^<!-- examples\/.*\.java -->$/ { file = folder substr($2, 10); next }
  /^```java$/ && file { writing = 1; next }
  /^```$/ { if (writing) close(file); writing = 0; file = ""; next }
  writing { print > file }' README.md
cat >"$project/pom.xml" <<POM
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>example</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.release>11</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
$(sed -n '/^<dependency>$/,/^<\/dependency>$/p' README.md)
  </dependencies>
  <build>
    <pluginManagement>
      <plugins>
        <plugin>
          <artifactId>maven-resources-plugin</artifactId>
          <version>3.3.1</version>
        </plugin>
        <plugin>
          <artifactId>maven-compiler-plugin</artifactId>
          <version>3.14.1</version>
        </plugin>
      </plugins>
    </pluginManagement>
  </build>
</project>
POM
(cd "$project" && maven compile)

if [ -n "${CENSUS_SDK_TEST_URL:-}" ]; then
  url=$CENSUS_SDK_TEST_URL key=${CENSUS_SDK_TEST_KEY:-}
else
  coproc java -cp target/classes:target/test-classes org.mcpcensus.census.RecordedRegistry
  read -r url <&"${COPROC[0]}"
  key=mcp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
fi
for class in "$project"/target/classes/*.class; do
  name=$(basename "$class" .class)
  [ "$name" = WebhookReceiver ] && continue # serves until it is stopped
  lines=$(CENSUS_URL=$url CENSUS_API_KEY=$key \
    java -cp "$jar:$project/target/classes" "$name" | wc -l)
  echo "$name: $lines lines"
done

echo "== figures"
java -cp target/classes:target/test-classes org.mcpcensus.census.Benchmark
ls -l target/*.jar
