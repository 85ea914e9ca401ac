package io.weir.rules.match;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NetworkTest {
  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.0.0.0/8",
    "0.0.0.0/0, 0.0.0.0/0",
    "10.1.2.3, 10.1.2.3",
    "10.1.2.3/32, 10.1.2.3",
    "10.1.2.2/31, 10.1.2.2/31",
    "2001:DB8::/32, 2001:db8::/32",
    "::/0, ::/0",
    "::1, ::1",
    "::1/128, ::1",
    "2001:db8:0:1::/64, 2001:db8:0:1::/64",
    "::ffff:10.0.0.0/104, 10.0.0.0/8",
    "::ffff:a00:0/104, 10.0.0.0/8",
    "::ffff:0:0/96, 0.0.0.0/0",
    "::ffff:10.1.2.3, 10.1.2.3",
  })
  void hasOneSpelling(String text, String canonical) {
    assertThat(Network.parse(text)).hasToString(canonical).isEqualTo(Network.parse(canonical));
    assertThat(Network.parse(text)).hasSameHashCodeAs(Network.parse(canonical));
  }

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.0.0.0, true",
    "10.0.0.0/8, 10.255.255.255, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "10.0.0.0/8, 9.255.255.255, false",
    "10.0.0.0/8, ::ffff:10.1.2.3, true",
    "10.0.0.0/8, ::ffff:a01:203, true",
    "::ffff:10.0.0.0/104, 10.1.2.3, true",
    "128.0.0.0/1, 255.0.0.0, true",
    "128.0.0.0/1, 127.0.0.0, false",
    "0.0.0.0/0, 255.1.2.3, true",
    "0.0.0.0/0, ::1, false",
    "::/0, ::1, true",
    "::/0, ffff::, true",
    "::/0, 1.2.3.4, false",
    "::/80, ::ffff:1.2.3.4, false",
    "10.1.2.3, 10.1.2.3, true",
    "10.1.2.3, 10.1.2.4, false",
    "2001:db8::/32, 2001:db8:ffff::1, true",
    "2001:db8::/32, 2001:db9::, false",
    "2001:db8:0:1::/64, 2001:db8:0:1:ffff::, true",
    "2001:db8:0:1::/64, 2001:db8:0:2::, false",
    "2001:db8::8000:0:0:0/65, 2001:db8::8000:0:0:1, true",
    "2001:db8::8000:0:0:0/65, 2001:db8::7fff:0:0:1, false",
    "8000::/1, ffff::, true",
    "8000::/1, 7fff::, false",
    "::1, ::1, true",
    "::1, ::2, false",
  })
  void holdsItsAddresses(String network, String address, boolean expected) {
    assertThat(Network.parse(network).contains(Address.parse(address))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "10.0.0.1/8 | 10.0.0.1/8 has host bits; did you mean 10.0.0.0/8?",
        "10.1.2.3/31 | 10.1.2.3/31 has host bits; did you mean 10.1.2.2/31?",
        "1.2.3.4/0 | 1.2.3.4/0 has host bits; did you mean 0.0.0.0/0?",
        "2001:db8::1/32 | 2001:db8::1/32 has host bits; did you mean 2001:db8::/32?",
        "2001:db8::1/127 | 2001:db8::1/127 has host bits; did you mean 2001:db8::/127?",
        "::ffff:10.0.0.1/104 | ::ffff:10.0.0.1/104 has host bits; did you mean 10.0.0.0/8?",
        "::ffff:10.0.0.0/8 | '::ffff:10.0.0.0/8' is more than the IPv4 addresses; did you mean 10.0.0.0/8?",
        "10.0.0.0/33 | '10.0.0.0/33' is not a network: its length must be a number from 0 to 32",
        "10.0.0.0/-1 | '10.0.0.0/-1' is not a network: its length must be a number from 0 to 32",
        "10.0.0.0/ | '10.0.0.0/' is not a network: its length must be a number from 0 to 32",
        "10.0.0.0/08 | '10.0.0.0/08' is not a network: its length must be a number from 0 to 32",
        "10.0.0.0/8/8 | '10.0.0.0/8/8' is not a network: its length must be a number from 0 to 32",
        "10.0.0.0/255.0.0.0 | '10.0.0.0/255.0.0.0' is not a network: its length must be a number from 0 to 32",
        "10.0.0.0/8x | '10.0.0.0/8x' is not a network: its length must be a number from 0 to 32",
        "::/129 | '::/129' is not a network: its length must be a number from 0 to 128",
        "::/4294967296 | '::/4294967296' is not a network: its length must be a number from 0 to 128",
        "/8 | '/8' is not a network: the address is missing (10.0.0.0/8, 2001:db8::/32)",
        "10/8 | '10/8' is not a network: '10' is not an address (10.0.0.0/8, 2001:db8::/32)",
        "010.0.0.0/8 | '010.0.0.0/8' is not a network: '010.0.0.0' is not an address (10.0.0.0/8, 2001:db8::/32)",
        "10.0.0.0:80 | '10.0.0.0:80' is not a network: '10.0.0.0:80' is not an address (10.0.0.0/8, 2001:db8::/32)",
        "[::1]/128 | '[::1]/128' is not a network: '[::1]' is not an address (10.0.0.0/8, 2001:db8::/32)",
        "fe80::%eth0/64 | 'fe80::%eth0/64' is not a network: 'fe80::%eth0' is not an address (10.0.0.0/8, 2001:db8::/32)",
        "example.org/8 | 'example.org/8' is not a network: names are not looked up, write addresses (10.0.0.0/8, 2001:db8::/32)",
      })
  void reportsError(String text, String message) {
    assertThatIllegalArgumentException().isThrownBy(() -> Network.parse(text)).withMessage(message);
  }
}
