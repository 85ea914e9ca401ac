package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What may be believed of a primary, in virtual time. */
class SoundnessTest {
  private static final long MINUTE = Duration.ofMinutes(1).toNanos();
  private static final long START = 1_790_000_000_000_000L;
  private static final long TRIP = 200_000;

  private long nanos = 77; // ours
  private long redisMicros = START;
  private long wallMicros = START;
  private long era = 5;
  private long markedMicros = START - 3600L * 1_000_000;
  private Soundness soundness = new Soundness(() -> nanos, () -> wallMicros, 1);

  @BeforeEach
  void old() {
    meet("a", 3600);
  }

  private void meet(String run, long uptime) {
    soundness.met(new ServerReport("redis", "7", 0, "noeviction", run, uptime, 1));
  }

  private void pass(Duration time) {
    nanos += time.toNanos();
    redisMicros += time.toNanos() / 1000;
    wallMicros += time.toNanos() / 1000;
  }

  /** One exchange, in whose midst Redis looks at its clock. */
  private boolean hear() {
    long sent = nanos;
    pass(Duration.ofNanos(TRIP / 2));
    long told = redisMicros;
    pass(Duration.ofNanos(TRIP / 2));
    return soundness.heard(sent, era, markedMicros, told);
  }

  private void assertSound() {
    assertThat(soundness.obstacle(MINUTE)).isNull();
    assertThat(soundness.leftNanos(MINUTE)).isZero();
  }

  /** From now on for a minute, less what has passed since the doubt came up. */
  private void assertDoubtful(String why) {
    Failure doubt = soundness.obstacle(MINUTE);
    assertThat(doubt).isNotNull();
    assertThat(doubt.kind()).isEqualTo(Failure.Kind.DOUBTFUL);
    assertThat(doubt.message()).contains(why);
    for (int i = 0; i < 59; i++) {
      pass(Duration.ofSeconds(1));
      hear();
      assertThat(soundness.obstacle(MINUTE)).isNotNull();
    }
    pass(Duration.ofNanos(soundness.leftNanos(MINUTE)).minusNanos(1));
    assertThat(soundness.obstacle(MINUTE)).isNotNull();
    pass(Duration.ofNanos(1));
    assertSound();
  }

  @Test
  void nothingIsBelievedBeforeAnythingWasHeard() {
    assertThat(soundness.obstacle(1)).isNotNull();
    assertThat(soundness.leftNanos(MINUTE)).isEqualTo(MINUTE);
  }

  @Test
  void anOldDataSetOfAnOldProcessIsBelievedAtOnce() {
    assertThat(hear()).isTrue();
    assertSound();
  }

  @Test
  void aNewDataSetIsNot() {
    markedMicros = redisMicros;
    hear();
    assertDoubtful("its data begins then");
  }

  @Test
  void norOneThatIsAnother() {
    hear();
    assertSound();
    era = 6;
    hear();
    assertDoubtful("its data was lost");
  }

  @Test
  void aProcessThatWasJustStartedMayHaveReadOldData() {
    hear();
    meet("b", 0);
    assertDoubtful("was started then");
  }

  @Test
  void aReplicaThatHasLongBeenThereHasEverything() {
    hear();
    meet("b", 62);
    assertSound();
    meet("b", 3);
    assertThat(soundness.obstacle(MINUTE)).as("the same, and its seconds mean little").isNull();
  }

  @Test
  void itsSecondsAreCutOff() {
    hear();
    meet("b", 60);
    assertThat(soundness.leftNanos(MINUTE)).isEqualTo(Duration.ofSeconds(1).toNanos());
    pass(Duration.ofMillis(1500));
    meet("b", 61);
    assertSound();
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 50, 3_600_000, -11, -50, -3_600_000})
  void aClockThatStepsIsNot(long millis) {
    hear();
    pass(Duration.ofSeconds(1));
    redisMicros += millis * 1000;
    hear();
    assertThat(soundness.givenUp()).as("others are to know").isEqualTo(5);
    era = 6;
    assertDoubtful(millis > 0 ? "gone forward by" : "gone back by");
    assertThat(soundness.givenUp()).isZero();
  }

  @ParameterizedTest
  @ValueSource(longs = {9, -9})
  void aLittleIsForgiven(long millis) {
    hear();
    redisMicros += millis * 1000;
    hear();
    assertSound();
  }

  /** Slewed at the pace that NTP has at most. */
  @ParameterizedTest
  @ValueSource(ints = {1, -1})
  void driftIsNoStep(int direction) {
    hear();
    for (int i = 0; i < 10_000; i++) {
      pass(Duration.ofSeconds(1));
      redisMicros += direction * 499L;
      hear();
      assertSound();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, -1})
  void butNotAgainAndAgain(int direction) {
    hear();
    for (int i = 0; i < 3; i++) {
      pass(Duration.ofMillis(100));
      redisMicros += direction * 3000L;
      hear();
      assertSound();
    }
    redisMicros += direction * 3000L;
    hear();
    assertThat(soundness.obstacle(MINUTE)).isNotNull();
  }

  @Test
  void forthAndBackIsNoWayForth() {
    hear();
    for (int i = 0; i < 100; i++) {
      redisMicros += i % 2 == 0 ? 5000 : -5000;
      hear();
      assertSound();
    }
  }

  @Test
  void aTripThatTookLongTellsNothing() {
    hear();
    long sent = nanos;
    pass(Duration.ofMillis(101));
    assertThat(soundness.heard(sent, era, markedMicros, redisMicros)).isFalse();
    assertSound();
  }

  /** The age that it tells is by its own clock, of which a newcomer knows nothing. */
  @ParameterizedTest
  @ValueSource(longs = {1_500, -1_500, 86_400_000})
  void aNewcomerDoesNotBelieveAClockThatIsFarFromOurs(long millis) {
    wallMicros += millis * 1000;
    hear();
    assertDoubtful("ms apart");
  }

  @ParameterizedTest
  @CsvSource({
    "allkeys-lru,1,set noeviction",
    "'',1,INFO memory",
    "noeviction,2,is copied by 2 servers"
  })
  void settingsThatLoseDataAreAFault(String policy, long replicas, String why) {
    hear();
    soundness.met(new ServerReport("redis", "7", 0, policy, "a", 3600, replicas));
    assertThat(soundness.fault()).contains(why);
    pass(Duration.ofMinutes(2));
    hear();
    assertThat(soundness.obstacle(MINUTE)).as("as long as it lasts").isNotNull();
    meet("a", 3700);
    assertThat(soundness.fault()).isNull();
    assertDoubtful("it had other settings");
  }

  @Test
  void aFaultOfTheFirstHourIsAFault() {
    soundness = new Soundness(() -> nanos, () -> wallMicros, 0);
    old();
    hear();
    assertThat(soundness.fault()).contains("is copied by 1 servers");
    assertThat(soundness.obstacle(1)).isNotNull();
  }
}
