package io.weir.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which keys share an overflow bucket for their network. */
class AddressGroupTest {
  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.2.255",
    "192.0.2.1, 192.0.2.1|GET",
    "192.0.2.1, 192.0.2.0/24",
    "2001:db8:0:1::/64, 2001:db8:0:2::/64",
    "2001:db8::/64, 2001:db8:0:2::/64",
    "2001:db8:5:1::/64, 2001:DB8:5:ffff::/64",
    "2001:db8:5::1, 2001:db8:5:0:0:0:0:1",
    "::1, ::2",
  })
  void addressesOfOneNetworkShareAGroup(String one, String other) {
    assertThat(AddressGroup.of(one)).isEqualTo(AddressGroup.of(other)).isNotNegative();
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.3.1",
    "192.0.2.1, 193.0.2.1",
    "2001:db8:1:1::/64, 2001:db8:2:1::/64",
    "2001:db8::/64, 2001:db9::/64",
    "::1, 0.0.0.1",
  })
  void differentNetworks(String one, String other) {
    assertThat(AddressGroup.of(one)).isNotEqualTo(AddressGroup.of(other)).isNotNegative();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "42",
        "user-42",
        "|",
        "1.2.3",
        "1.2.3.4.5",
        "1.2.3.4x",
        "1:2:345",
        "00:1a:2b:3c:4d:5e",
        "00112:1::",
        "1:2:3:4:5:6:7:8:9",
        "::ffff:192.0.2.1",
        "f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "GET|192.0.2.1"
      })
  void noAddress(String key) {
    assertThat(AddressGroup.of(key)).isEqualTo(AddressGroup.NONE);
  }
}
