/* usage: tokens PKI COUNT: tokens as Apple's, signed now, a line each: what the wire has, in hexadecimal. */
#include "mint.h"

#include <stdio.h>
#include <stdlib.h>

static void say(const uint8_t *data, size_t count, char end) {
  for (size_t i = 0; i < count; i++) printf("%02x", data[i]);
  putchar(end);
}

int main(int count, char **words) {
  if (count != 3) return 64;
  struct merchant merchant;
  merchant_read(&merchant, words[1]);
  for (long left = strtol(words[2], NULL, 10); left > 0; left--) {
    struct token token;
    mint(&merchant, &token);
    say(token.data, token.data_count, ' ');
    say(token.signature, token.signature_count, ' ');
    say(token.ephemeral, sizeof(token.ephemeral), ' ');
    say(token.transaction, sizeof(token.transaction), ' ');
    say(merchant.key_hash, sizeof(merchant.key_hash), '\n');
  }
  return 0;
}
