package io.weir.field;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Base64;

/** A single value of a structured field, without parameters. Immutable. */
public sealed interface BareItem {
  /** The value as the canonical text of RFC 9651, section 4.1. */
  String text();

  /** An integer of at most 15 digits. */
  record Whole(long value) implements BareItem {
    @Override
    public String text() {
      return Long.toString(value);
    }
  }

  /** A decimal, in thousandths: {@code 1.5} is 1500. */
  record Decimal(long thousandths) implements BareItem {
    @Override
    public String text() {
      long size = Math.abs(thousandths);
      String fraction = Long.toString(1000 + size % 1000).substring(1).replaceFirst("0{1,2}$", "");
      return (thousandths < 0 ? "-" : "") + size / 1000 + "." + fraction;
    }
  }

  /** A quoted string; the value is without quotes and escapes. */
  record Text(String value) implements BareItem {
    @Override
    public String text() {
      return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
    }
  }

  /** A token. */
  record Token(String value) implements BareItem {
    @Override
    public String text() {
      return value;
    }
  }

  /** A byte sequence, as padded Base64. */
  record Bytes(String base64) implements BareItem {
    static Bytes of(byte[] bytes) {
      return new Bytes(Base64.getEncoder().encodeToString(bytes));
    }

    @Override
    public String text() {
      return ':' + base64 + ':';
    }
  }

  /** A boolean. */
  record Truth(boolean value) implements BareItem {
    @Override
    public String text() {
      return value ? "?1" : "?0";
    }
  }

  /** A date, in seconds since the epoch. */
  record Date(long seconds) implements BareItem {
    @Override
    public String text() {
      return "@" + seconds;
    }
  }

  /** A string of Unicode. */
  record DisplayText(String value) implements BareItem {
    @Override
    public String text() {
      StringBuilder text = new StringBuilder("%\"");
      for (byte b : value.getBytes(UTF_8)) {
        if (b == '%' || b == '"' || b < ' ' || b == 0x7f) {
          text.append('%')
              .append(Character.forDigit(b >> 4 & 0xf, 16))
              .append(Character.forDigit(b & 0xf, 16));
        } else {
          text.append((char) b);
        }
      }
      return text.append('"').toString();
    }
  }
}
