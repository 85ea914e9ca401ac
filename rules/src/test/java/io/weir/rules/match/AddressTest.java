package io.weir.rules.match;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTest {
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0, 0.0.0.0",
    "1.2.3.4, 1.2.3.4",
    "255.255.255.255, 255.255.255.255",
    "::, ::",
    "::1, ::1",
    "1::, 1::",
    "2001:DB8::1, 2001:db8::1",
    "2001:0db8:0000:0000:0000:0000:0000:0001, 2001:db8::1",
    "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
    "2001:0:0:1:0:0:0:1, 2001:0:0:1::1",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
    "::2:3:4:5:6:7:8, 0:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7:8, 1:2:3:4:5:6:7:8",
    "0:0:1::, 0:0:1::",
    "1:0:0:2::, 1:0:0:2::",
    "fe80::a:b, fe80::a:b",
    "64:ff9b::1.2.3.4, 64:ff9b::102:304",
    "::1.2.3.4, ::102:304",
    "1:2:3:4:5:6:1.2.3.4, 1:2:3:4:5:6:102:304",
  })
  void hasOneSpelling(String text, String canonical) {
    assertThat(Address.parse(text)).hasToString(canonical);
    assertThat(Address.parse(canonical)).isEqualTo(Address.parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "\t",
        ",",
        " 1.2.3.4",
        "1.2.3.4 ",
        "1.2.3.4,",
        ", 1.2.3.4",
        "[",
        "]",
        "[]",
        ":",
        "%"
      })
  void case6_emptyAndBlankIsNoAddress(String text) {
    assertThat(Address.parse(text)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "1.2.3.4:80, 1.2.3.4",
    "1.2.3.4:0, 1.2.3.4",
    "1.2.3.4:65535, 1.2.3.4",
    "[::1], ::1",
    "[::1]:80, ::1",
    "[2001:DB8::1]:65535, 2001:db8::1",
    "[::ffff:1.2.3.4]:80, 1.2.3.4",
    "fe80::1%eth0, fe80::1",
    "[fe80::1%eth0]:80, fe80::1",
    "[fe80::1%25eth0], fe80::1",
    "::1:80, ::1:80",
  })
  void case7_portBracketsAndZoneAreLeftOut(String text, String address) {
    assertThat(Address.parse(text)).hasToString(address);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.2.3.4:",
        "1.2.3.4:65536",
        "1.2.3.4:-1",
        "1.2.3.4:+1",
        "1.2.3.4:80:80",
        "1.2.3.4:8a",
        "1.2.3.4:000080",
        "[1.2.3.4]",
        "[1.2.3.4]:80",
        "[::1",
        "::1]",
        "[::1]80",
        "[::1]:",
        "[::1]:99999",
        "[::1]]",
        "[[::1]]",
        "fe80::1%",
        "[fe80::1%]",
        "1.2.3.4%eth0",
        "fe80::1%a b",
        "%eth0"
      })
  void case7_brokenPortsBracketsAndZonesAreNoAddress(String text) {
    assertThat(Address.parse(text)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "::ffff:1.2.3.4",
        "::FFFF:1.2.3.4",
        "::ffff:102:304",
        "::FFFF:0102:0304",
        "0:0:0:0:0:ffff:1.2.3.4",
        "0000:0000:0000:0000:0000:ffff:0102:0304",
        "0::ffff:102:304"
      })
  void case8_ipv4MappedIsIpv4HoweverItIsSpelled(String text) {
    assertThat(Address.parse(text)).isEqualTo(Address.parse("1.2.3.4")).hasToString("1.2.3.4");
    assertThat(Address.parse(text).isIpv4()).isTrue();
    assertThat(Address.parse(text).client()).isEqualTo("1.2.3.4");
  }

  @ParameterizedTest
  @ValueSource(strings = {"2001:db8::1.2.3.4", "::1.2.3.4", "::fffe:1.2.3.4", "::ffff:0:1.2.3.4"})
  void case8_ipv6ThatEndsLikeIpv4IsNot(String text) {
    assertThat(Address.parse(text).isIpv4()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0177.1",
        "2130706433",
        "127.1",
        "127.0.1",
        "0177.0.0.1",
        "01.2.3.4",
        "1.2.3.04",
        "1.2.3.00",
        "0x7f.0.0.1",
        "0x7f000001",
        "256.1.1.1",
        "1.2.3.256",
        "1.2.3.4.5",
        "1.2.3.",
        ".1.2.3",
        "1..2.3",
        "1.2.3.-4",
        "1.2.3.+4",
        "1.2.3.4a",
        "１.2.3.4",
        "1.2.3.1000"
      })
  void case9_otherFormsOfIpv4AreNoAddress(String text) {
    assertThat(Address.parse(text)).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ":::", "1:::2", "1::2::3", ":1:2:3:4:5:6:7", "1:2:3:4:5:6:7:", "1:2:3:4:5:6:7",
        "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8", "12345::", "g::",
            "1:2:3:4:5:6:7:1.2.3.4",
        "1.2.3.4::", "::1.2.3", "::1.2.3.4.5", "::01.2.3.4", "::1.2.3.256", "::ffff:1.2.3.4:5",
        "::1 ", "1:2", "::１", "::ffff:0177.1"
      })
  void brokenIpv6IsNoAddress(String text) {
    assertThat(Address.parse(text)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "2001:db8:0:1::1, 2001:db8:0:1::/64",
    "2001:db8:0:1:ffff:ffff:ffff:ffff, 2001:db8:0:1::/64",
    "2001:db8:0:2::1, 2001:db8:0:2::/64",
    "2001:db8::1, 2001:db8::/64",
    "::1, ::/64",
    "0:0:0:1::5, 0:0:0:1::/64",
    "1:2:3:4:5:6:7:8, 1:2:3:4::/64",
    "10.0.0.1, 10.0.0.1",
    "10.0.0.1:443, 10.0.0.1",
  })
  void case12_anIpv6ClientIsItsFirst64Bits(String text, String client) {
    assertThat(Address.parse(text).client()).isEqualTo(client);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost",
        "example.org",
        "a",
        "dead.beef",
        "unknown",
        "_hidden",
        "example.org:80",
        "[example.org]"
      })
  void case15_namesAreNoAddress(String text) {
    assertThat(Address.parse(text)).isNull();
  }

  @Test
  void aLongTextIsNoAddressAndTakesNoTime() {
    assertThat(Address.parse("1".repeat(1_000_000))).isNull();
    assertThat(Address.parse("::1%" + "a".repeat(1_000_000))).isNull();
  }

  /** The platform reads what we write, to the same bits. */
  @Test
  void isReadBackByThePlatform() throws UnknownHostException {
    for (long seed = 0; seed < 20_000; seed++) {
      Random random = new Random(seed);
      byte[] bytes = new byte[16];
      random.nextBytes(bytes);
      for (int i = 0; i < 16; i += 2) {
        if (random.nextInt(3) > 0) {
          bytes[i] = 0;
          bytes[i + 1] = (byte) random.nextInt(2);
        }
      }
      InetAddress expected = InetAddress.getByAddress(bytes);
      Address address = Address.parse(expected.getHostAddress());
      assertThat(address).as("seed %d", seed).isNotNull();
      assertThat(InetAddress.getByName(address.toString())).as("seed %d", seed).isEqualTo(expected);
    }
  }
}
