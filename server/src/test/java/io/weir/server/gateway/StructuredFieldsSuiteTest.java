package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.field.BareItem;
import io.weir.field.FieldMember;
import io.weir.field.FieldMember.InnerList;
import io.weir.field.FieldMember.Item;
import io.weir.field.StructuredFieldReader;
import io.weir.rig.TestSuites;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * The reader of limit headers passes the HTTP working group's cases for RFC 9651. It is tested here
 * because core has no JSON.
 */
class StructuredFieldsSuiteTest {
  private static final String BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

  @Test
  void passesTheCasesOfTheWorkingGroup() throws IOException {
    List<Path> files = TestSuites.jsonFiles("structured-fields");
    assumeFalse(files.isEmpty(), "../shared/suites/structured-fields is absent");
    List<String> failures = new ArrayList<>();
    int cases = 0;
    for (Path file : files) {
      for (Object each : new JsonArray(Files.readString(file))) {
        cases++;
        JsonObject one = (JsonObject) each;
        String expected = expected(one);
        String found = found(one.getString("header_type"), field(one));
        boolean mayFail = one.getBoolean("can_fail", false) && found.equals("malformed");
        if (!found.equals(expected) && !mayFail) {
          failures.add(file.getFileName() + " " + one.getString("name") + ": " + found);
        }
      }
    }
    assertThat(failures).isEmpty();
    assertThat(cases).isGreaterThan(1500);
  }

  private static String field(JsonObject one) {
    return one.getJsonArray("raw").stream().map(Object::toString).collect(Collectors.joining(", "));
  }

  private static String expected(JsonObject one) {
    if (one.getBoolean("must_fail", false)) {
      return "malformed";
    }
    JsonArray expected = one.getJsonArray("expected");
    return switch (one.getString("header_type")) {
      case "item" -> member(expected);
      case "list" -> joined(expected.stream().map(each -> member((JsonArray) each)).toList());
      default -> pairs(expected);
    };
  }

  private static String member(JsonArray member) {
    Object value = member.getValue(0);
    String text =
        value instanceof JsonArray items
            ? "(" + joined(items.stream().map(each -> member((JsonArray) each)).toList()) + ")"
            : bare(value);
    return text + parameters(member.getJsonArray(1));
  }

  private static String parameters(JsonArray parameters) {
    return parameters.stream()
        .map(
            each ->
                ";" + ((JsonArray) each).getString(0) + "=" + bare(((JsonArray) each).getValue(1)))
        .collect(Collectors.joining());
  }

  private static String pairs(JsonArray members) {
    return joined(
        members.stream()
            .map(JsonArray.class::cast)
            .map(each -> each.getString(0) + "=" + member(each.getJsonArray(1)))
            .toList());
  }

  private static String bare(Object value) {
    if (value instanceof JsonObject typed) {
      Object inner = typed.getValue("value");
      return typed.getString("__type")
          + " "
          + (typed.getString("__type").equals("binary") ? base64((String) inner) : inner);
    }
    return value instanceof Double decimal
        ? "decimal " + BigDecimal.valueOf(decimal).stripTrailingZeros().toPlainString()
        : value.getClass().getSimpleName().replace("Long", "Integer") + " " + value;
  }

  private static String base64(String base32) {
    byte[] bytes = new byte[base32.replace("=", "").length() * 5 / 8];
    int bits = 0;
    int held = 0;
    int at = 0;
    for (char c : base32.replace("=", "").toCharArray()) {
      bits = (bits << 5 | BASE32.indexOf(c)) & 0xffff;
      held += 5;
      if (held >= 8) {
        held -= 8;
        bytes[at++] = (byte) (bits >> held);
      }
    }
    return Base64.getEncoder().encodeToString(bytes);
  }

  private static String found(String type, String field) {
    Optional<String> found =
        switch (type) {
          case "item" -> StructuredFieldReader.item(field).map(StructuredFieldsSuiteTest::member);
          case "list" ->
              StructuredFieldReader.list(field)
                  .map(all -> joined(all.stream().map(each -> member(each)).toList()));
          default ->
              StructuredFieldReader.dictionary(field)
                  .map(
                      all ->
                          joined(
                              all.entrySet().stream()
                                  .map(each -> each.getKey() + "=" + member(each.getValue()))
                                  .toList()));
        };
    return found.orElse("malformed");
  }

  private static String member(FieldMember member) {
    return member instanceof InnerList list
        ? "("
            + joined(list.items().stream().map(each -> member(each)).toList())
            + ")"
            + parameters(list)
        : bare(((Item) member).value()) + parameters(member);
  }

  private static String parameters(FieldMember member) {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, BareItem> each : member.parameters().entrySet()) {
      text.append(';').append(each.getKey()).append('=').append(bare(each.getValue()));
    }
    return text.toString();
  }

  private static String bare(BareItem item) {
    if (item instanceof BareItem.Whole whole) {
      return "Integer " + whole.value();
    } else if (item instanceof BareItem.Decimal decimal) {
      return "decimal "
          + BigDecimal.valueOf(decimal.thousandths(), 3).stripTrailingZeros().toPlainString();
    } else if (item instanceof BareItem.Text string) {
      return "String " + string.value();
    } else if (item instanceof BareItem.Token token) {
      return "token " + token.value();
    } else if (item instanceof BareItem.Bytes bytes) {
      return "binary " + bytes.base64();
    } else if (item instanceof BareItem.Truth truth) {
      return "Boolean " + truth.value();
    } else if (item instanceof BareItem.Date date) {
      return "date " + date.seconds();
    }
    return "displaystring " + ((BareItem.DisplayText) item).value();
  }

  private static String joined(List<String> all) {
    return String.join(", ", all);
  }
}
