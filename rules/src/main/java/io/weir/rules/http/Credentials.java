package io.weir.rules.http;

import io.weir.rules.match.MalformedRequestException;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Normalises the value of {@code Authorization}: {@code bearer x} and {@code BEARER x } become
 * {@code Bearer x} (RFC 9110, section 11.4).
 *
 * <p>A common scheme gets its usual spelling, any other becomes lower case. A value of one word is
 * not changed: it is a key without a scheme.
 */
final class Credentials {
  private static final Map<String, String> USUAL =
      Stream.of(
              "Basic",
              "Bearer",
              "Digest",
              "DPoP",
              "GNAP",
              "HOBA",
              "Mutual",
              "Negotiate",
              "NTLM",
              "OAuth",
              "PrivateToken",
              "SCRAM-SHA-1",
              "SCRAM-SHA-256",
              "Token",
              "ApiKey",
              "Api-Key",
              "Key",
              "JWT",
              "SSWS",
              "Hawk",
              "Signature",
              "Splunk",
              "AWS4-HMAC-SHA256")
          .collect(
              Collectors.toUnmodifiableMap(
                  scheme -> scheme.toLowerCase(Locale.ROOT), Function.identity()));

  /**
   * Schemes with credentials of one word. Servers that split at blanks ignore what follows that
   * word; others end a token at a comma (Laravel) or remove bytes that no token may have.
   */
  private static final Set<String> OF_ONE_WORD = Set.of("Basic", "Bearer", "DPoP", "ApiKey", "JWT");

  /** {@code token68} of RFC 9110; Laravel Sanctum writes a token's number before it. */
  private static final Pattern WORD = Pattern.compile("(?:[1-9][0-9]*+\\|)?[A-Za-z0-9._~+/-]++=*+");

  private Credentials() {}

  /** Whether a header holds credentials. */
  static boolean isIn(String header) {
    return header.equalsIgnoreCase("Authorization")
        || header.equalsIgnoreCase("Proxy-Authorization");
  }

  /**
   * The normalised form of {@code value}.
   *
   * @throws MalformedRequestException if servers may read it in different ways
   */
  static String canonical(String value) {
    int end = 0;
    while (end < value.length() && !isBlank(value.charAt(end))) {
      end++;
    }
    int start = end;
    while (start < value.length() && isBlank(value.charAt(start))) {
      start++;
    }
    if (start == value.length()) {
      return value.substring(0, end);
    }
    String lowerCase = value.substring(0, end).toLowerCase(Locale.ROOT);
    String scheme = USUAL.getOrDefault(lowerCase, lowerCase);
    String rest = value.substring(start);
    if (OF_ONE_WORD.contains(scheme) && !WORD.matcher(rest).matches()) {
      throw new MalformedRequestException(
          "the credentials of '"
              + scheme
              + "' must be one word of letters, digits and -._~+/ with = at its end; rules use"
              + " them");
    }
    return scheme + ' ' + (scheme.equals("Basic") ? basic(rest) : rest);
  }

  /**
   * Base64 has several spellings: without padding, with another alphabet, or with unused bits at
   * the end.
   */
  private static String basic(String rest) {
    try {
      byte[] credentials = Base64.getDecoder().decode(rest.replace('-', '+').replace('_', '/'));
      return Base64.getEncoder().encodeToString(credentials);
    } catch (IllegalArgumentException e) {
      throw new MalformedRequestException(
          "the credentials of 'Basic' are not written in base64; rules use them");
    }
  }

  private static boolean isBlank(char c) {
    return c == ' ' || c == '\t';
  }
}
