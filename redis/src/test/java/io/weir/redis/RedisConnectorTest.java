package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisFailure.Kind;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The failure of a connection that cannot even be started. */
class RedisConnectorTest {
  private static Stream<Throwable> thrown() {
    return Stream.of(
        new IllegalStateException("no"),
        new NoClassDefFoundError("io/netty/Gone"),
        new ExceptionInInitializerError(),
        new StackOverflowError(),
        new OutOfMemoryError("unable to create native thread"));
  }

  @ParameterizedTest
  @MethodSource("thrown")
  void anyThrowableFailsThePendingConnection(Throwable thrown) {
    CompletableFuture<RespConnection> dialed = new CompletableFuture<>();
    RedisConnector.orFail(
        dialed, "redis.example:6379", () -> RedisConnectorTest.<Error>sneak(thrown));
    assertThat(dialed)
        .failsWithin(0, TimeUnit.SECONDS)
        .withThrowableThat()
        .havingCause()
        .isInstanceOfSatisfying(
            TransportException.class,
            failure -> {
              assertThat(failure.redisFailure().kind()).isEqualTo(Kind.DISCONNECTED);
              assertThat(failure.redisFailure().message())
                  .isEqualTo(
                      "cannot connect to redis.example:6379: "
                          + (thrown instanceof Error ? thrown.toString() : thrown.getMessage()));
            });
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void sneak(Throwable thrown) throws T {
    throw (T) thrown;
  }
}
