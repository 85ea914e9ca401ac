package io.weir.field;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Structured Fields as RFC 9651 reads them; a field that breaks a rule is empty as a whole. */
class StructuredFieldReaderTest {
  /** A list, and its canonical text; a dash if it is not valid. */
  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '\0',
      textBlock =
          """
          "a";r=0 => "a";r=0
          "a"; r=0;   t=5 => "a";r=0;t=5
          "a" ;r=0 => -
          "a";r =0 => -
          "a";r= 0 => -
          "a";R=0 => -
          "a";r=1;t=2;r=3 => "a";r=3;t=2
          "a";pk=:Zg==:;r=0 => "a";pk=:Zg==:;r=0
          "a";pk=:Zg:;r=0 => "a";pk=:Zg==:;r=0
          "a";pk=:Z g==: => -
          "a";pk=:Zg== => -
          "a","b" ,  "c" => "a", "b", "c"
          "a", => -
          , "a" => -
          "a" "b" => -
          "a, \\"b\\\\" => "a, \\"b\\\\"
          "a\\n" => -
          "ü" => -
          "a => -
          a/b:c*;d => a/b:c*;d
          a;d=?1;e=?0 => a;d;e=?0
          a;d=?2 => -
          -0, 007, 999999999999999 => 0, 7, 999999999999999
          1000000000000000 => -
          - => -
          1.50, -0.005, 999999999999.999 => 1.5, -0.005, 999999999999.999
          1. => -
          .1 => -
          1.0000 => -
          1000000000000.0 => -
          @1659578233, @-1 => @1659578233, @-1
          @1.5 => -
          %"f%c3%bc \\ %25" => %"f%c3%bc \\ %25"
          %"%C3%BC" => -
          %"%c3" => -
          %"a => -
          (), ( "a"  b;c );d=1 => (), ("a" b;c);d=1
          ("a"b) => -
          ("a", b) => -
          (("a")) => -
          ("a" => -
          limit=100, remaining=50 => -
          """)
  void readsLists(String field, String canonical) {
    assertThat(list(field)).isEqualTo(canonical);
    if (!canonical.equals("-")) {
      assertThat(list(canonical)).isEqualTo(canonical);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = "=>",
      quoteCharacter = '\0',
      textBlock =
          """
          limit=100, remaining=50 => limit=100, remaining=50
          a=1, b, c;x, a=3 => a=3, b=?1, c=?1;x
          a=(1 2);q => a=(1 2);q
          a = 1 => -
          A=1 => -
          1=a => -
          a=1, => -
          "a";r=1 => -
          """)
  void readsDictionaries(String field, String canonical) {
    String found =
        StructuredFieldReader.dictionary(field)
            .map(
                all ->
                    all.entrySet().stream()
                        .map(member -> member.getKey() + "=" + member.getValue().text())
                        .collect(Collectors.joining(", ")))
            .orElse("-");
    assertThat(found).isEqualTo(canonical);
  }

  @Test
  void allowsSpacesButNoTabsAroundAField() {
    assertThat(list("  1  ")).isEqualTo("1");
    assertThat(list("\t1")).isEqualTo("-");
    assertThat(list("")).isEmpty();
    assertThat(list("  ")).isEmpty();
    assertThat(list("1\t,\t2")).isEqualTo("1, 2");
    assertThat(StructuredFieldReader.item("1 \t")).isEmpty();
    assertThat(StructuredFieldReader.item("")).isEmpty();
    assertThat(StructuredFieldReader.item(" 1;a ").map(FieldMember::text)).contains("1;a");
    assertThat(StructuredFieldReader.item("1, 2")).isEmpty();
  }

  @Test
  void staysWhereNoValidValueIs() {
    StructuredFieldReader reader = new StructuredFieldReader("\"open;r=1");
    assertThat(reader.bareItem()).isEqualTo(Optional.empty());
    assertThat(reader.position()).isZero();
  }

  @Test
  void readsLongInnerListsWithoutRecursion() {
    assertThat(list("(" + "1 ".repeat(100_000) + ")")).hasSize(200_001);
    assertThat(list("(".repeat(100_000))).isEqualTo("-");
  }

  private static String list(String field) {
    return StructuredFieldReader.list(field)
        .map(all -> all.stream().map(FieldMember::text).collect(Collectors.joining(", ")))
        .orElse("-");
  }
}
